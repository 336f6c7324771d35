import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("Logs of rows that violate constraints")
struct ViolatedConstraintTests {
  private func indexes(of path: String) throws -> [String] {
    try schemaStatements(of: path).map { $0.split(separator: "|") }
      .filter { $0[1] == "index" && $0[2].hasPrefix("t_") }.map { String($0[2]) }.sorted()
  }

  private func importResult(_ world: AdoptedWorld, _ name: String) throws -> ImportResult {
    try importLogs(ImportRequest(logs: world.logs, store: world.file(name)))
  }

  /// Expects that neither the logs nor a replica are reported as damaged.
  private func expectSoundness(_ world: AdoptedWorld, _ replica: String) throws {
    #expect(try recordedRows(of: world.file(replica)) == recordedRows(of: world.path))
    var request = VerifyRequest(logs: world.logs)
    request.against = world.path
    #expect(try verify(request).flatMap(\.findings) == [])
    let findings = try findings(of: world.file(replica))
    #expect(findings == [])
  }

  private func findings(of path: String, logs: LogFolder? = nil) throws -> [String] {
    var request = CheckRequest(store: path)
    request.logs = logs
    var findings: [String] = []
    _ = try check(request) { findings.append("\($0)") }
    return findings
  }

  @Test(
    "A duplicate that follows an unnoticed DROP INDEX can be restored, and the next import too."
  )
  func droppedIndex() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, e TEXT, n INT);
      CREATE UNIQUE INDEX t_e ON t(e); CREATE UNIQUE INDEX t_n ON t(n); CREATE INDEX t_en ON t(e, n);
      INSERT INTO t VALUES (1, 'a', 1);
      """
    )
    try world.exportLogs()
    _ = try world.restore("replica.db")
    #expect(try indexes(of: world.file("replica.db")) == ["t_e", "t_en", "t_n"])
    try world.run(
      "DROP INDEX t_e; INSERT INTO t VALUES (2, 'a', 2); UPDATE t SET n = 3 WHERE id = 1"
    )
    try world.exportLogs()
    let result = try importResult(world, "replica.db")
    // The history has the definition without the index, too.
    #expect(result.violatedIndexes == [])
    #expect(try indexes(of: world.file("replica.db")) == ["t_en", "t_n"])
    try expectSoundness(world, "replica.db")
    try world.run("INSERT INTO t VALUES (3, 'a', 4); UPDATE t SET n = 5 WHERE id = 2")
    try world.exportLogs()
    _ = try importResult(world, "replica.db")
    try expectSoundness(world, "replica.db")
    _ = try importResult(world, "new.db")
    try expectSoundness(world, "new.db")
  }

  @Test("An import leaves out a unique index that rows violate, and creates it when rows allow it.")
  func violatedIndex() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, e TEXT);
      CREATE UNIQUE INDEX t_e ON t(e); INSERT INTO t VALUES (1, 'a');
      """
    )
    try world.exportLogs()
    // The program drops the index and creates it again before a command of travelog runs.
    try world.run("DROP INDEX t_e; INSERT INTO t VALUES (2, 'a'), (3, 'b')")
    try world.run(
      "UPDATE travelog_context SET author = 'x'; UPDATE travelog_context SET author = NULL"
    )
    try world.run("UPDATE t SET e = 'c' WHERE id = 2; CREATE UNIQUE INDEX t_e ON t(e)")
    try world.exportLogs()
    let ids = try world.history().indices.filter { id in
      try world.history()[id].changes.contains("insert t 2")
    }
    let first = try #require(ids.first.map { Int64($0 + 1) })
    var request = ImportRequest(logs: world.logs, store: world.file("replica.db"))
    request.until = .transaction(first)
    #expect(try importLogs(request).violatedIndexes == ["t_e"])
    #expect(try indexes(of: request.store) == [])
    #expect(try findings(of: request.store) == [])
    #expect(try importResult(world, "replica.db").violatedIndexes == [])
    #expect(try indexes(of: request.store) == ["t_e"])
    try expectSoundness(world, "replica.db")
  }

  @Test("Rows that violate a CHECK can be restored, and check reports them only as violations.")
  func violatedCheck() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, v CHECK (v <> 13), j TEXT CHECK (json_valid(j)));
      PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (1, 13, NULL);
      """
    )
    try world.exportLogs()
    // A newer SQLite accepts NULL here, because its json_valid(NULL) is NULL.
    try world.run(
      "PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (2, 1, NULL), (3, 13, '[]')"
    )
    try world.exportLogs()
    _ = try importResult(world, "replica.db")
    try expectSoundness(world, "replica.db")
    for path in [world.path, world.file("replica.db")] {
      let result = try check(CheckRequest(store: path)) { _ in }
      #expect(result.violations == ["CHECK constraint failed in t"])
    }
    try world.run("PRAGMA ignore_check_constraints = ON; UPDATE t SET id = id + 10, v = 13")
    try world.exportLogs()
    _ = try importResult(world, "replica.db")
    try expectSoundness(world, "replica.db")
  }

  @Test("Rows that violate NOT NULL, and tables with a CHECK of the program, can be restored.")
  func programConstraints() throws {
    let definition = "CREATE TABLE t(id INTEGER PRIMARY KEY, v NOT NULL, w TEXT"
    let world = try AdoptedWorld(
      """
      \(definition)); CREATE INDEX t_v ON t(v);
      CREATE TABLE u(a PRIMARY KEY, b NOT NULL) WITHOUT ROWID; INSERT INTO t VALUES (1, 1, 'a');
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = '\(definition) NOT NULL CHECK (mine(w)), CHECK (id < mine(1)))'
        WHERE name = 't';
      """,
      isAdopted: false
    )
    _ = try Store.adopt(world.path)
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    let violate = """
      PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '/**/ NULL') WHERE name IN ('t', 'u');
      """
    let connection = try Connection(path: world.path, mode: .readWrite)
    try connection.execute(violate)
    try connection.execute("PRAGMA writable_schema = RESET")
    try connection.execute(
      "INSERT INTO t VALUES (2, NULL, NULL); UPDATE t SET v = NULL WHERE id = 1"
    )
    try connection.execute("INSERT INTO u VALUES (1, NULL)")
    try connection.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '/**/ NULL', 'NOT NULL') WHERE name IN ('t', 'u');
      PRAGMA writable_schema = RESET;
      """
    )
    try world.exportLogs()
    _ = try importResult(world, "replica.db")
    try expectSoundness(world, "replica.db")
    _ = try importResult(world, "new.db")
    try expectSoundness(world, "new.db")
    func definitions(_ path: String) throws -> [String] {
      try schemaStatements(of: path).map { $0.split(separator: "|", maxSplits: 5) }
        .filter { ["t", "u"].contains($0[2]) }.map { String($0[5]) }
    }
    #expect(try definitions(replica) == definitions(world.path))
    let violations = try check(CheckRequest(store: replica)) { _ in }.violations
    #expect(
      violations.sorted() == [
        "CHECK constraints were not computed: unknown function: mine()", "NULL value in t.v",
        "NULL value in t.w", "NULL value in u.b",
      ]
    )
    let error = #expect(throws: SQLiteError.self) {
      try Store.detach(replica)
      try Connection(path: replica, mode: .readWrite).execute("INSERT INTO u VALUES (2, NULL)")
    }
    #expect(error?.code == SQLiteError.constraintNotNull)
  }

  @Test("What a schema needs and SQLite does not have is named, and never called damage.")
  func missingFunctions() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT); CREATE INDEX t_v ON t(v); INSERT INTO t VALUES (1, 'a');
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX t_v ON t(mine(v))' WHERE name = 't_v';
      """,
      isAdopted: false
    )
    _ = try Store.adopt(world.path)
    try world.exportLogs()
    let result = try check(CheckRequest(store: world.path)) { Issue.record("\($0)") }
    #expect(
      result.violations
        == ["CHECK constraints and indexes were not computed: unknown function: mine()"]
    )

    func failure(of table: String, _ definition: String) throws -> StoreError? {
      let path = world.file(table + ".db")
      let connection = try Connection(path: path, mode: .readWriteCreate)
      try connection.execute(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a');
        PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '\(definition)';
        """
      )
      return #expect(throws: StoreError.self) { try Store.adopt(path) }
    }
    let lacking = try failure(
      of: "generated",
      "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT AS (mine(id)))"
    )
    #expect(lacking?.code == .database)
    #expect(lacking.map { "\($0.wording)".contains("function: mine") } == true)
    let newer = try failure(of: "newer", "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT) LATER")
    #expect(newer?.code == .damaged)
    #expect(newer.map { "\($0.wording)".contains("A newer SQLite") } == true)
  }
}
