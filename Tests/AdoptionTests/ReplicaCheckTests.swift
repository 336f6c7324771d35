import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("The check of a replica of an adopted file")
struct ReplicaCheckTests {
  private let start = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INT, twice AS (age * 2));
    CREATE TABLE other(id INTEGER PRIMARY KEY, v BLOB);
    CREATE TABLE loose(a, b);
    INSERT INTO person VALUES (1, 'Ann', 30), (2, 'Bob', 40), (3, 'Cy', 50), (4, 'Di', 60);
    INSERT INTO other VALUES (1, 'kept'), (2, 1.0), (3, x'00ff');
    INSERT INTO loose VALUES (1, 2), (NULL, -0.0), ('x', 1e300);
    """

  private func world() throws -> AdoptedWorld {
    let world = try AdoptedWorld(start)
    try world.run(
      "UPDATE person SET age = 41 WHERE id = 2; INSERT INTO person VALUES (5, 'Eve', 7)"
    )
    try world.run("DELETE FROM person WHERE id = 4; INSERT INTO loose VALUES (3, 4)")
    try world.run("UPDATE other SET v = zeroblob(1200000) WHERE id = 3")
    try world.exportLogs()
    return world
  }

  /// Changes a replica as a program that runs no triggers.
  private func alter(_ replica: String, _ sql: String) throws {
    let connection = try Connection(path: replica, mode: .readWrite)
    try connection.setTriggers(enabled: false)
    try connection.execute(sql)
  }

  private func findings(_ path: String, logs: LogFolder? = nil) throws -> [String] {
    var request = CheckRequest(store: path)
    request.logs = logs
    var findings: [String] = []
    let result = try check(request) { findings.append("\($0)") }
    #expect(result.unknown == 0)
    return findings.sorted()
  }

  private func different(_ world: AdoptedWorld, _ replica: String) throws -> Int {
    var request = VerifyRequest(logs: world.logs)
    request.against = replica
    return try verify(request).flatMap(\.findings).count
  }

  @Test("A check finds each kind of change of a replica's rows, and names the rows of the logs.")
  func changes() throws {
    let world = try world()
    let cases: [(sql: String, alone: [String], logs: [String])] = [
      ("SELECT 1", [], []),
      (
        "INSERT INTO person(id) VALUES (9)",
        ["table person has 1 row that history does not explain"],
        ["history does not have person 9, but the row exists"]
      ),
      (
        "UPDATE person SET name = 'x' WHERE id = 1",
        ["rows of table person have other values, and no transaction contains the change"],
        ["person 1 has other values than in history: [\"name\"]"]
      ),
      (
        "DELETE FROM person WHERE id IN (1, 3)",
        ["table person lacks 2 rows that no transaction deleted"],
        [
          "history has person 1, but the row is missing",
          "history has person 3, but the row is missing",
        ]
      ),
      (
        "UPDATE person SET age = 42 WHERE id = 2",
        ["person 2 has other values than in history: [\"age\",\"twice\"]"],
        ["person 2 has other values than in history: [\"age\",\"twice\"]"]
      ),
      (
        "UPDATE person SET name = 'x' WHERE id = 2",
        ["rows of table person have other values, and no transaction contains the change"],
        ["person 2 has other values than in history: [\"name\"]"]
      ),
      (
        "DELETE FROM person WHERE id = 5; INSERT INTO person VALUES (4, 'Di', 60), (8, 'x', 1)",
        [
          "history does not have person 4, but the row exists",
          "history has person 5, but the row is missing",
          "table person has 1 row that history does not explain",
        ],
        [
          "history does not have person 4, but the row exists",
          "history does not have person 8, but the row exists",
          "history has person 5, but the row is missing",
        ]
      ),
      (
        "UPDATE other SET v = 1 WHERE id = 2; UPDATE other SET v = 'y' WHERE id = 3",
        ["other 3 has other values than in history: [\"v\"]"],
        [
          "other 2 has other values than in history: [\"v\"]",
          "other 3 has other values than in history: [\"v\"]",
        ]
      ),
      (
        "INSERT INTO loose VALUES (5, 6), (7, 8)",
        ["table loose has 2 rows that history does not explain"],
        [
          "history does not have loose 5, but the row exists",
          "history does not have loose 6, but the row exists",
        ]
      ),
    ]
    for (number, one) in cases.enumerated() {
      let replica = try world.restore("replica-\(number).db")
      try alter(replica, one.sql)
      #expect(try findings(replica) == one.alone, "\(one.sql)")
      #expect(try findings(replica, logs: world.logs) == one.logs, "\(one.sql)")
      #expect(try different(world, replica) == one.logs.count, "\(one.sql)")
    }
  }

  @Test("Imports in parts, migrations and snapshots of all kinds leave a replica that agrees.")
  func agreement() throws {
    let world = try world()
    let replica = try world.restore("replica.db")
    for sql in [
      "UPDATE person SET id = id + 100; DELETE FROM other WHERE id = 1",
      "ALTER TABLE person ADD COLUMN mail DEFAULT 'none'; INSERT INTO other VALUES (9, 9)",
      "CREATE TABLE added(a PRIMARY KEY, b); INSERT INTO added VALUES (NULL, 1), ('k', 2)",
      "VACUUM", "UPDATE added SET b = b + 1; DELETE FROM loose WHERE a = 1; DROP TABLE other",
    ] {
      for statement in sql.split(separator: ";") { try world.run(String(statement)) }
      try world.exportLogs()
      _ = try world.restore("replica.db")
      #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
      #expect(try findings(replica) == [], "\(sql)")
      #expect(try findings(replica, logs: world.logs) == [], "\(sql)")
      #expect(try findings(world.restore("new \(sql.count).db")) == [], "\(sql)")
    }
    #expect(try findings(world.path, logs: world.logs) == [])
  }

  @Test("An import does not hide an earlier change of a row that history does not have.")
  func laterImport() throws {
    let world = try world()
    let replica = try world.restore("replica.db")
    try alter(replica, "UPDATE person SET name = 'altered' WHERE id = 1")
    try world.run("UPDATE person SET age = 31 WHERE id = 1")
    try world.exportLogs()
    _ = try world.restore("replica.db")
    #expect(
      try findings(replica) == [
        "rows of table person have other values, and no transaction contains the change"
      ]
    )
  }

  @Test("A check of an adopted file with its logs finds rows that were written past the triggers.")
  func adoptedFile() throws {
    let world = try world()
    try alter(
      world.path,
      "INSERT INTO person(id) VALUES (9); UPDATE person SET name = 'x' WHERE id = 1"
    )
    #expect(
      try findings(world.path, logs: world.logs) == [
        "history does not have person 9, but the row exists",
        "person 1 has other values than in history: [\"name\"]",
      ]
    )
  }

  @Test(
    "A check with logs finds rows of the adoption under new names of tables and columns.",
    arguments: [
      "ALTER TABLE person RENAME TO human", "ALTER TABLE person RENAME COLUMN name TO first",
      "ALTER TABLE person RENAME TO human; ALTER TABLE human RENAME COLUMN age TO years",
    ]
  )
  func newNames(_ migration: String) throws {
    let world = try world()
    try world.run(migration)
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    for path in [world.path, replica] { #expect(try findings(path, logs: world.logs) == []) }
    let table = migration.contains("human") ? "human" : "person"
    let name = migration.contains("first") ? "first" : "name"
    for path in [world.path, replica] {
      try alter(path, "UPDATE \(table) SET \(name) = 'x' WHERE id = 1")
      #expect(
        try findings(path, logs: world.logs) == [
          "\(table) 1 has other values than in history: [\"\(name)\"]"
        ]
      )
    }
  }

  @Test("A check says how many rows it can't compare in a replica of an earlier version.")
  func earlierReplica() throws {
    let world = try world()
    let replica = try world.restore("replica.db")
    try alter(replica, "DELETE FROM travelog_catalog WHERE key LIKE 'rows_digest%'")
    let result = try check(CheckRequest(store: replica)) { _ in }
    // History has person 5, other 3 and loose 4 completely.
    #expect(result.unknown == 3 + 3 + 3)
    #expect(try findings(replica, logs: world.logs) == [])
  }
}
