import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("Guards of replicas of adopted files")
struct ReplicaGuardTests {
  private let start = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE pair(a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE VIRTUAL TABLE page USING fts5(url, text);
    INSERT INTO person VALUES (1, 'Ann'); INSERT INTO pair VALUES ('x', 'y');
    INSERT INTO page VALUES ('a', 'alpha');
    """
  private let writes = [
    "INSERT INTO person VALUES (2, 'Bob')", "REPLACE INTO person VALUES (1, 'Bob')",
    "INSERT OR IGNORE INTO person VALUES (3, 'Eve')", "UPDATE person SET name = 'Eve'",
    "UPDATE OR IGNORE person SET name = 'Eve'", "DELETE FROM person",
    "INSERT INTO pair VALUES ('p', 'q')", "UPDATE pair SET a = 'z'", "DELETE FROM pair",
    "INSERT INTO page VALUES ('b', 'beta')", "UPDATE page SET text = 'gamma'", "DELETE FROM page",
  ]

  private func expectGuards(_ path: String) throws {
    let rows = try recordedRows(of: path)
    for write in writes {
      let error = #expect(throws: SQLiteError.self, "\(write)") {
        try Connection(path: path, mode: .readWrite).execute(write)
      }
      // FTS5 replaces the message of the guard.
      guard !write.contains("page") else { continue }
      #expect(error?.message == "this is a replica: run travelog promote", "\(write)")
    }
    #expect(try recordedRows(of: path) == rows)
  }

  private func expectNoGuards(_ path: String) throws {
    for write in writes {
      try Connection(path: path, mode: .readWrite).execute("BEGIN; \(write); ROLLBACK")
    }
  }

  @Test("A replica refuses all writes of programs, until it is promoted or detached.")
  func refusal() throws {
    let world = try AdoptedWorld(start)
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    try expectGuards(replica)
    try world.run("UPDATE person SET name = 'Zoe'; INSERT INTO page VALUES ('c', 'word')")
    try world.exportLogs()
    _ = try world.restore("replica.db")
    #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
    try expectGuards(replica)
    let other = try world.restore("other.db")
    try Store.open(.file(URL(fileURLWithPath: replica))).promote()
    try expectNoGuards(replica)
    try Store.detach(other)
    try expectNoGuards(other)
  }

  @Test("A replica also guards tables that its origin changes or adds.")
  func changedTables() throws {
    let world = try AdoptedWorld(start)
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    try world.run(
      """
      ALTER TABLE person ADD COLUMN mail; ALTER TABLE pair RENAME TO couple;
      CREATE TABLE added(a); INSERT INTO added VALUES (1);
      """
    )
    try world.exportLogs()
    _ = try world.restore("replica.db")
    #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
    for write in [
      "UPDATE person SET mail = 1", "DELETE FROM couple", "INSERT INTO added VALUES (2)",
    ] {
      #expect(throws: SQLiteError.self, "\(write)") {
        try Connection(path: replica, mode: .readWrite).execute(write)
      }
    }
  }

  @Test("A replica of an earlier version gets its guards at the next import.")
  func earlierReplica() throws {
    let world = try AdoptedWorld(start)
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    let connection = try Connection(path: replica, mode: .readWrite)
    let triggers = try schemaStatements(of: replica).map { $0.split(separator: "|") }
      .filter { $0[1] == "trigger" }.map { $0[2] }
    for trigger in triggers { try connection.execute("DROP TRIGGER \(trigger)") }
    #expect(triggers.count == 9)
    _ = try world.restore("replica.db")
    try expectGuards(replica)
  }

  @Test("The status and the export of a replica say that it is a replica.")
  func answers() throws {
    let world = try AdoptedWorld(start)
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    #expect(try status(of: replica, logs: world.logs).isReplica)
    #expect(try !status(of: world.path, logs: world.logs).isReplica)
    let logs = LogFolder(world.file("of-replica"))
    try logs.create()
    let notices = try export(ExportRequest(store: replica, logs: logs)).notices.map(\.message)
    #expect(notices.contains { $0.contains("is a replica") }, "\(notices)")
    #expect(try !world.exportLogs().notices.contains { "\($0)".contains("is a replica") })
    var again = ImportRequest(logs: logs, store: world.file("again.db"))
    again.allowsUnproven = true
    _ = try importLogs(again)
    #expect(try recordedRows(of: again.store) == recordedRows(of: world.path))
  }
}
