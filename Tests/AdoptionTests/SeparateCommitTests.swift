import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("Separate commits without brackets")
struct SeparateCommitTests {
  /// The values of column `v` in the history of the row with the id 1 of table `t`.
  private func values(_ world: AdoptedWorld) throws -> [String] {
    try readableStore(world.path).read { reader in
      let cursor = try reader.history()
      var values: [String] = []
      while try cursor.nextTransaction() != nil {
        while let change = try cursor.nextChange() {
          let text = String(decoding: change.after, as: UTF8.self)
          guard change.object == 1 else { continue }
          if let found = text.firstMatch(of: /"v":"integer:(-?[0-9]+)"/) {
            values.append(String(found.1))
          }
        }
      }
      return values
    }
  }

  @Test(
    "Each committed value of a row is in history, however fast the commits follow each other.",
    arguments: ["DELETE", "WAL"],
    [1, 3]
  )
  func updates(_ journal: String, _ connections: Int) throws {
    let world = try AdoptedWorld(
      "PRAGMA journal_mode = \(journal); CREATE TABLE t(id INTEGER PRIMARY KEY, v);"
        + "INSERT INTO t VALUES (1, 0)"
    )
    let writers = try (0..<connections).map { _ in
      try Connection(path: world.path, mode: .readWrite)
    }
    for number in 1...60 {
      try writers[number % connections].execute("UPDATE t SET v = \(number) WHERE id = 1")
      // In WAL mode, the log is reset, so that it proves only some of the commits.
      if number == 30 { try writers[0].execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
    #expect(try values(world) == (1...60).map { "\($0)" })
    #expect(try world.changes().count == 60)
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
  }

  @Test("A row that is created and deleted at once leaves a trace, and so does its first name.")
  func ghost() throws {
    let world = try AdoptedWorld("CREATE TABLE tag(id INTEGER PRIMARY KEY, name UNIQUE)")
    let program = try Connection(path: world.path, mode: .readWrite)
    for sql in [
      "INSERT INTO tag VALUES (3, 'paid-to-mallory')", "UPDATE tag SET name = 'innocent'",
      "INSERT INTO tag VALUES (4, 'ghost')", "DELETE FROM tag WHERE id = 4",
    ] { try program.execute(sql) }
    #expect(
      try world.changes().flatMap(\.changes) == [
        "insert tag 3", "update tag 3", "insert tag 4", "delete tag 4",
      ]
    )
  }

  @Test("The changes that a program's older trigger adds to a statement stay with the statement.")
  func triggers() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, v, n INT DEFAULT 0);
      CREATE TRIGGER counting AFTER UPDATE OF v ON t BEGIN
        UPDATE t SET n = n + 1 WHERE id = NEW.id; END;
      INSERT INTO t(id, v) VALUES (1, 0), (2, 0);
      """
    )
    let program = try Connection(path: world.path, mode: .readWrite)
    for number in 1...3 { try program.execute("UPDATE t SET v = \(number) WHERE id = 1") }
    #expect(try world.changes().map(\.changes) == Array(repeating: ["update t 1"], count: 3))
  }

  @Test("A transaction that the write-ahead log proves is one, even if it changes a row twice.")
  func provenTransaction() throws {
    let world = try AdoptedWorld(
      "PRAGMA journal_mode = WAL; CREATE TABLE t(id INTEGER PRIMARY KEY, v)"
    )
    let program = try Connection(path: world.path, mode: .readWrite)
    for number in 1...3 {
      try program.execute(
        "BEGIN; INSERT INTO t VALUES (\(number), 0); UPDATE t SET v = v + 1; COMMIT"
      )
    }
    let changes = try world.changes()
    #expect(changes.map(\.changes.count) == [1, 2, 3])
    #expect(changes.allSatisfy { $0.detail("boundary") == "proven" })
  }
}
