import Adoption
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("The place of the last commit of an adopted file")
struct CommitPlaceTests {
  private let names = CaptureNames(prefix: CaptureNames.usualPrefix)

  /// A connection to an adopted file that stays open, so that SQLite keeps the write-ahead log.
  private func adopted(_ path: String, _ journal: String) throws -> Connection {
    let connection = try Connection(path: path, mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = \(journal); PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE t(id INTEGER PRIMARY KEY, v, w); CREATE TABLE u(k TEXT PRIMARY KEY, v);
      INSERT INTO t VALUES (1, 'a', zeroblob(9000)), (2, 'b', 1); INSERT INTO u VALUES ('x', 0);
      """
    )
    _ = try Store.adopt(path)
    try connection.useTables(prefix: names.prefix)
    return connection
  }

  private func silently(_ path: String, _ sql: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.setTriggers(enabled: false)
    try connection.execute(sql)
  }

  private func uncaptured(_ connection: Connection) throws -> Int64 {
    try CommitPlace.uncapturedCommits(names: names, on: connection)
  }

  private func isCompared(_ connection: Connection) throws -> Bool {
    try CommitPlace.isCompared(on: connection)
  }

  @Test("A file counts as compared only until any program commits.", arguments: ["DELETE", "WAL"])
  func comparison(_ journal: String) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let connection = try adopted(path, journal)
      #expect(try isCompared(connection))
      for (isSilent, sql) in [
        (false, "UPDATE t SET v = 1 WHERE id = 1"), (true, "UPDATE t SET v = 'a' WHERE id = 1"),
        (true, "CREATE TABLE other(a)"), (false, "PRAGMA user_version = 5"),
      ] {
        if isSilent { try silently(path, sql) } else { try connection.execute(sql) }
        #expect(try !isCompared(connection), "\(sql)")
        try connection.inTransaction { try CommitPlace.note(isCompared: true, on: connection) }
        #expect(try isCompared(connection))
        try connection.inTransaction { try CommitPlace.note(isCompared: false, on: connection) }
        #expect(try !isCompared(connection))
        try connection.inTransaction { try CommitPlace.note(isCompared: true, on: connection) }
      }
      try connection.execute("PRAGMA journal_mode = \(journal == "WAL" ? "DELETE" : "WAL")")
      #expect(try !isCompared(connection))
      try silently(path, "DELETE FROM u")
      try connection.execute("PRAGMA journal_mode = \(journal)")
      #expect(try !isCompared(connection))
    }
  }

  @Test("The log shows commits without the triggers, and takes no other commit for one.")
  func silentCommits() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let connection = try adopted(path, "WAL")
      #expect(try uncaptured(connection) == 0)
      try silently(path, "UPDATE t SET v = 'silent' WHERE id = 2")
      #expect(try uncaptured(connection) == 1)
      try silently(
        path,
        "UPDATE t SET w = zeroblob(9001) WHERE id = 1; INSERT INTO u VALUES ('y', 1)"
      )
      #expect(try uncaptured(connection) >= 1)
      try connection.inTransaction { try CommitPlace.note(isCompared: false, on: connection) }
      #expect(try uncaptured(connection) == 0)
    }
  }

  @Test("Commits of a program with triggers, and seals, are never taken for silent ones.")
  func noFalseAlarm() throws {
    var random = SeededGenerator(for: "commit places")
    for _ in 0..<trials(3, long: 60) {
      try withTemporaryFolder { folder in
        let path = folder.appendingPathComponent("app.db").path
        let connection = try adopted(path, "WAL")
        for step in 0..<40 {
          let id = Int.random(in: 1...30, using: &random)
          let sql =
            [
              "INSERT OR REPLACE INTO t VALUES (\(id), \(step), zeroblob(\(id * 700)))",
              "DELETE FROM t WHERE id > \(id)", "UPDATE u SET v = \(step)",
              "INSERT OR IGNORE INTO u VALUES ('k\(id)', \(step))",
              "DELETE FROM u WHERE k > 'k\(id)'",
              "VACUUM", "CREATE INDEX IF NOT EXISTS i ON t(v)", "PRAGMA wal_checkpoint(RESTART)",
            ].randomElement(using: &random) ?? ""
          try connection.execute(sql)
          #expect(try uncaptured(connection) == 0, "\(sql)")
          if Int.random(in: 0..<4, using: &random) == 0 {
            _ = try Store.open(.file(folder.appendingPathComponent("app.db")))
          }
          #expect(try uncaptured(connection) == 0, "a seal after \(sql)")
        }
        try silently(path, "INSERT OR REPLACE INTO t VALUES (1, 'silent', 0)")
        #expect(try uncaptured(connection) == 1)
      }
    }
  }
}
