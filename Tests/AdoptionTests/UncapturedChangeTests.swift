import ChangeLog
import Format
import Foundation
import Glibc
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("Changes of an adopted file that no trigger captured")
struct UncapturedChangeTests {
  private let tables = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
    CREATE TABLE other(id INTEGER PRIMARY KEY, v); INSERT INTO other VALUES (1, 1);
    """

  /// A connection of a program that disables triggers, as Chromium does.
  private func silentProgram(_ world: AdoptedWorld) throws -> Connection {
    let program = try Connection(path: world.path, mode: .readWrite)
    try program.setTriggers(enabled: false)
    return program
  }

  @Test(
    "An export records the tables that a program changed without triggers, and the logs are right.",
    arguments: [
      "INSERT INTO t VALUES (10, 'silent')", "UPDATE t SET v = 'silent' WHERE id = 2",
      "DELETE FROM t WHERE id = 3",
    ]
  )
  func exported(_ change: String) throws {
    let world = try AdoptedWorld(tables)
    try world.run("INSERT INTO t VALUES (4, 'seen')")
    #expect(try world.exportLogs().notices == [])
    try silentProgram(world).execute(change)
    try world.run("UPDATE other SET v = 2")
    #expect(try status(of: world.path, logs: world.logs).uncaptured == ["t"])
    let notices = try world.exportLogs().notices
    #expect(notices.contains { $0.message.contains("All rows of these tables are recorded again") })
    let last = try #require(try world.changes().last)
    #expect(last.operation == "difference" && last.details.contains(#""captured":false"#))
    #expect(try status(of: world.path, logs: world.logs).uncaptured == [])
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
    try readableStore(world.path).check { Issue.record("\($0)") }
  }

  @Test("A change without triggers between two captured changes of a row is a change of its own.")
  func between() throws {
    let world = try AdoptedWorld(tables)
    let program = try Connection(path: world.path, mode: .readWrite)
    try program.execute("UPDATE t SET v = 'seen' WHERE id = 1")
    try silentProgram(world).execute("UPDATE t SET v = 'silent' WHERE id = 1")
    try program.execute("UPDATE t SET v = 'seen again' WHERE id = 1")
    let changes = try world.changes()
    #expect(changes.map(\.operation) == ["foreign", "difference", "foreign"])
    #expect(changes.allSatisfy { $0.changes == ["update t 1"] })
    #expect(changes[1].details.contains(#""captured":false"#))
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
  }

  @Test("A check takes captured rows into account that nobody could seal yet.")
  func waiting() throws {
    let world = try AdoptedWorld(tables)
    try world.exportLogs()
    try world.run(
      "UPDATE t SET v = 'captured'; INSERT OR REPLACE INTO t VALUES (2, 'replaced');"
        + "INSERT INTO t VALUES (9, 'new'); DELETE FROM t WHERE id = 3"
    )
    // A program holds the write lock, so nothing can be sealed.
    let program = try Connection(path: world.path, mode: .readWrite)
    try program.execute("BEGIN IMMEDIATE")
    defer { program.rollBack() }
    let store = try readableStore(world.path)
    #expect(try store.read { try $0.unshownChanges() } > 0)
    try store.check { Issue.record("\($0)") }
    #expect(try store.uncapturedTables() == [])
    // The logs have the state before the first transaction, so all rows are compared.
    #expect(try world.findings(world.path) == [])
  }

  @Test(
    "A check finds a change without triggers that precedes a captured change of the same row.",
    arguments: [
      "INSERT INTO t VALUES (5, 'silent') | DELETE FROM t WHERE id = 5",
      "UPDATE t SET v = 'silent' WHERE id = 2 | UPDATE t SET v = 'seen' WHERE id = 2",
      "DELETE FROM t WHERE id = 2 | INSERT INTO t VALUES (2, 'seen')",
    ]
  )
  func before(_ statements: String) throws {
    let world = try AdoptedWorld(tables)
    try world.exportLogs()
    let parts = statements.components(separatedBy: " | ")
    try silentProgram(world).execute(parts[0])
    try world.run(parts[1])
    #expect(try status(of: world.path, logs: world.logs).uncaptured == ["t"])
    #expect(try world.findings(world.path).count == 1)
    #expect(try world.findings(world.path, withLogs: false).count == 1)
  }

  @Test(
    "A change without triggers is found also if the table was changed afterwards.",
    arguments: [
      "ALTER TABLE t ADD COLUMN w DEFAULT 3", "ALTER TABLE t RENAME COLUMN v TO w",
      "ALTER TABLE t RENAME TO u", "ALTER TABLE t RENAME TO u; ALTER TABLE u ADD COLUMN w",
      "ALTER TABLE t ADD COLUMN w AS (v + 1)", "VACUUM",
    ],
    [
      "INSERT INTO t VALUES (10, 'silent')", "UPDATE t SET v = 'silent' WHERE id = 2",
      "DELETE FROM t WHERE id = 3",
    ]
  )
  func migrated(_ migration: String, _ change: String) throws {
    let world = try AdoptedWorld(tables)
    try world.run("INSERT INTO t VALUES (4, 'seen')")
    try world.exportLogs()
    try silentProgram(world).execute(change)
    try world.run("UPDATE t SET v = 'seen' WHERE id = 1; UPDATE other SET v = 2")
    try world.run(migration)
    let name = migration.contains("TO u") ? "u" : "t"
    #expect(try status(of: world.path, logs: world.logs).uncaptured == [name])
    try world.compareReplicas(migration)
    let last = try #require(try world.changes().last)
    #expect(last.operation == "difference" && last.details.contains(#""captured":false"#))
  }

  @Test("A change without triggers before a migration is recorded before the migration.")
  func suspended() throws {
    let world = try AdoptedWorld(tables)
    try world.exportLogs()
    try silentProgram(world).execute("INSERT INTO t VALUES (10, 'silent')")
    _ = try Store.suspend(world.path) {
      try world.run("ALTER TABLE t ADD COLUMN w; UPDATE other SET v = 2; UPDATE t SET w = 5")
    }
    let changes = try world.changes()
    #expect(changes.map(\.operation) == ["difference", "migration", "migration"])
    #expect(changes[0].details.contains(#""captured":false"#))
    try world.compareReplicas("migration")
  }

  @Test("A row that REPLACE deleted is in history, also if the program then added a column.")
  func replaced() throws {
    let world = try AdoptedWorld(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, v UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b')"
    )
    try world.exportLogs()
    try world.run("INSERT OR REPLACE INTO t VALUES (7, 'b'); ALTER TABLE t ADD COLUMN w DEFAULT 3")
    #expect(try world.changes().first?.changes == ["delete t 2", "insert t 7"])
    try world.compareReplicas("migration")
  }

  @Test(
    "Logs with a change without triggers before a captured change of the same row can be imported.",
    arguments: [
      "INSERT INTO t VALUES (5, 'silent') | DELETE FROM t WHERE id = 5",
      "UPDATE t SET v = 'silent' WHERE id = 2 | UPDATE t SET v = 'seen' WHERE id = 2",
      "DELETE FROM t WHERE id = 2 | INSERT INTO t VALUES (2, 'seen')",
    ]
  )
  func imported(_ changes: String) throws {
    let parts = changes.split(separator: "|").map(String.init)
    let world = try AdoptedWorld(tables)
    try world.exportLogs()
    _ = try world.restore("old.db")
    try silentProgram(world).execute(parts[0])
    try world.run(parts[1])
    let captured = Int64(try world.history().count)
    try world.exportLogs()
    for name in ["old.db", "new.db"] {
      let replica = try world.restore(name)
      #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
      try readableStore(replica).check { Issue.record("\($0)") }
    }
    var request = VerifyRequest(logs: world.logs)
    request.against = world.path
    #expect(try verify(request).flatMap(\.findings) == [])
    // The state before the difference is not known.
    let error = #expect(throws: StoreError.self) {
      try world.restore("past.db", until: .transaction(captured))
    }
    #expect(error?.code == .replayMismatch)
  }

  @Test("An import without a later record of the table refuses rows that do not fit.")
  func refused() throws {
    let world = try AdoptedWorld(tables)
    try world.exportLogs()
    let replica = try Connection(path: world.restore("replica.db"), mode: .readWrite)
    try replica.setTriggers(enabled: false)
    try replica.execute("UPDATE t SET v = 'altered' WHERE id = 2")
    try world.run("UPDATE t SET v = 'seen' WHERE id = 2")
    try world.exportLogs()
    let error = #expect(throws: StoreError.self) { try world.restore("replica.db") }
    #expect(error?.code == .replayMismatch)
  }

  @Test(
    "Rows that REPLACE deleted before their table was dropped or rebuilt do not prevent an import.",
    arguments: [
      "DROP TABLE u",
      "CREATE TABLE n(id INTEGER PRIMARY KEY, v UNIQUE); INSERT INTO n SELECT * FROM u; DROP TABLE u;"
        + " ALTER TABLE n RENAME TO u",
    ]
  )
  func dropped(_ change: String) throws {
    let world = try AdoptedWorld(
      tables + "CREATE TABLE u(id INTEGER PRIMARY KEY, v UNIQUE);"
        + "INSERT INTO u VALUES (1, 'a'), (2, 'b');"
    )
    try world.exportLogs()
    _ = try world.restore("replica.db")
    try world.run("UPDATE OR REPLACE u SET v = 'z' WHERE id IN (1, 2); \(change)")
    try world.exportLogs()
    for name in ["replica.db", "new.db"] {
      #expect(try recordedRows(of: world.restore(name)) == recordedRows(of: world.path))
    }
  }

  @Test("The history of a file says how many commits in its log no trigger captured.")
  func commits() throws {
    let world = try AdoptedWorld("PRAGMA journal_mode = WAL;" + tables)
    let program = try Connection(path: world.path, mode: .readWrite)
    try program.execute("UPDATE t SET v = 'seen' WHERE id = 1")
    try world.exportLogs()
    let silent = try silentProgram(world)
    func count() throws -> Int64 { try History(world.path).outline.uncapturedCommits }
    #expect(try count() == 0)
    try silent.execute("UPDATE other SET v = 5")
    #expect(try count() == 1)
    try world.exportLogs()
    #expect(try count() == 0)
    try program.execute("UPDATE other SET v = 6")
    #expect(try count() == 0)
  }

  @Test("An export by a user who may not write names the captured changes that the logs lack.")
  func notSealed() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let path = folder.appendingPathComponent("app.db").path
        let program = try Connection(path: path, mode: .readWriteCreate)
        try program.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
        _ = try Store.adopt(path)
        try program.execute("INSERT INTO t VALUES (1, 2)")
        let owner = geteuid()
        if owner == 0 {
          for path in [folder.path, path] { chown(path, 65534, 65534) }
          seteuid(65534)
        }
        chmod(path, 0o444)
        defer { seteuid(owner) }
        let logs = LogFolder(folder.appendingPathComponent("logs").path)
        try FileManager.default.createDirectory(
          atPath: logs.path,
          withIntermediateDirectories: true
        )
        let notices = try export(ExportRequest(store: path, logs: logs)).notices
        try #require(notices.contains { $0.message.contains("1 captured change of \(path)") })
        try #require(try status(of: path, logs: logs).unsealed == 1)
      }
    }
  }

  @Test(
    "Reading the log and the file does not drop the locks of this process.",
    arguments: ["DELETE", "WAL"]
  )
  func locks(_ journal: String) throws {
    let world = try AdoptedWorld("PRAGMA journal_mode = \(journal);" + tables)
    try world.run("INSERT INTO t VALUES (9, 1)")
    let program = try Connection(path: world.path, mode: .readWrite)
    try program.execute("BEGIN; UPDATE t SET v = 2")
    // Each of these reads the log, or the file with SQLite's own descriptor.
    _ = try History(world.path).outline.uncapturedCommits
    _ = try readableStore(world.path).uncapturedTables()
    _ = try status(of: world.path, logs: nil)
    let answer = try output(
      of: "sh",
      ["-c", "sqlite3 -cmd '.timeout 0' '\(world.path)' 'BEGIN IMMEDIATE' 2>&1 || true"]
    )
    #expect(answer.contains("locked"))
    try program.execute("COMMIT")
  }

  @Test(
    "Logs can be imported if an uncaptured change removed a unique value before another row got it.",
    arguments: [
      "CREATE TABLE u(id INTEGER PRIMARY KEY, e TEXT UNIQUE)",
      "CREATE TABLE u(id TEXT NOT NULL, e TEXT, UNIQUE (e) ON CONFLICT FAIL, PRIMARY KEY (id))",
      "CREATE TABLE u(id TEXT PRIMARY KEY, e TEXT NOT NULL COLLATE NOCASE UNIQUE) WITHOUT ROWID",
    ]
  )
  func uniqueValue(_ definition: String) throws {
    let world = try AdoptedWorld("\(definition); INSERT INTO u VALUES (1, 'a'), (3, 'c')")
    try world.exportLogs()
    _ = try world.restore("replica.db")
    let silent = try silentProgram(world)
    for round in 0..<3 {
      try world.run("UPDATE u SET e = 'b\(round)' WHERE e = 'a'")
      try silent.execute("UPDATE u SET e = 'x\(round)' WHERE e = 'b\(round)'")
      try world.run("INSERT INTO u VALUES (1\(round), 'b\(round)')")
      try world.run("UPDATE u SET e = 'y\(round)' WHERE e = 'x\(round)'")
      try world.run("INSERT INTO u VALUES (2\(round), 'a')")
      try world.compareReplicas("round \(round)")
      for name in ["replica.db", "replica round \(round).db"] {
        func definitions(_ path: String) throws -> [String] {
          try schemaStatements(of: path).map { $0.split(separator: "|", maxSplits: 5) }
            .filter { ["table", "index"].contains($0[1]) && !$0[2].hasPrefix("travelog") }
            .map { "\($0[2]) \($0.last ?? "")" }.sorted()
        }
        #expect(try definitions(world.file(name)) == definitions(world.path), "\(name)")
      }
    }
  }

  @Test("A replica whose rows violate UNIQUE can be promoted, and records what its program does.")
  func promotedUnique() throws {
    let world = try AdoptedWorld(
      "CREATE TABLE u(id TEXT PRIMARY KEY, e TEXT UNIQUE); INSERT INTO u VALUES (1, 'a')"
    )
    try world.exportLogs()
    let silent = try silentProgram(world)
    try world.run("UPDATE u SET e = 'b' WHERE e = 'a'")
    try silent.execute("UPDATE u SET e = 'x' WHERE e = 'b'")
    try world.run("INSERT INTO u VALUES (2, 'b')")
    try world.run("UPDATE u SET e = 'y' WHERE e = 'x'")
    try world.exportLogs()
    let head = try Int64(world.history().count)
    let violated = try (1...head).filter { id in
      var request = ImportRequest(logs: world.logs, store: world.file("\(id).db"))
      request.until = .transaction(id)
      return try importLogs(request).violatedIndexes == [#"u ("e" COLLATE "BINARY")"#]
    }
    let file = try world.file("\(#require(violated.first)).db")
    _ = try Store.open(.file(URL(fileURLWithPath: file))).promote()
    try Connection(path: file, mode: .readWrite).execute("INSERT INTO u VALUES (3, 'b')")
    let logs = LogFolder(world.file("new"))
    try FileManager.default.createDirectory(atPath: logs.path, withIntermediateDirectories: true)
    _ = try export(ExportRequest(store: file, logs: logs))
    _ = try importLogs(ImportRequest(logs: logs, store: world.file("again.db")))
    #expect(try recordedRows(of: world.file("again.db")) == recordedRows(of: file))
    #expect(try recordedRows(of: file)["u"]?.count == 3)
    var findings: [String] = []
    _ = try check(CheckRequest(store: file)) { findings.append("\($0)") }
    #expect(findings == [])
    try Store.detach(file)
    let names = try schemaStatements(of: file).map { $0.split(separator: "|")[2] }
    #expect(names.sorted() == ["sqlite_autoindex_u_1", "u"])
  }
}
