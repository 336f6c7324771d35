import Foundation
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
    #expect(notices.contains(.isNotCaptured(["t"], of: world.path, isRecorded: true)))
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
    try world.run("UPDATE t SET v = 'captured'; INSERT OR REPLACE INTO t VALUES (2, 'replaced')")
    // A program holds the write lock, so nothing can be sealed.
    let program = try Connection(path: world.path, mode: .readWrite)
    try program.execute("BEGIN IMMEDIATE")
    defer { program.rollBack() }
    let store = try readableStore(world.path)
    #expect(try store.read { try $0.unshownChanges() } > 0)
    try store.check { Issue.record("\($0)") }
    #expect(try store.uncapturedTables() == [])
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
}
