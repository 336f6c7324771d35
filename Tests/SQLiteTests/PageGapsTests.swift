import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@Suite("Unused bytes of pages")
struct PageGapsTests {
  private static let shapes = [512, 1024, 4096, 65_536].flatMap { size in
    ["NONE", "INCREMENTAL"].map { (size, $0) }
  }

  private func withDatabase(
    _ name: String,
    _ body: (URL, Connection) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: name)
      try body(file, Connection(path: file.path, mode: .readWriteCreate))
    }
  }

  private func rows(_ connection: Connection) throws -> [String] {
    let reading = try connection.prepare("SELECT id || ' ' || text FROM note ORDER BY id")
    var result: [String] = []
    while try reading.step() { result.append(reading.string(at: 0)) }
    return result
  }

  /// The numbers of the marks in a file.
  private func marks(in file: URL) throws -> Set<Int> {
    var result: Set<Int> = []
    let bytes = try Data(contentsOf: file)
    var place = bytes.startIndex
    while let found = bytes.range(of: Data("mark".utf8), in: place..<bytes.endIndex) {
      let digits = bytes[found.upperBound..<min(found.upperBound + 6, bytes.endIndex)]
      if let number = Int(String(decoding: digits, as: UTF8.self)) { result.insert(number) }
      place = found.upperBound
    }
    return result
  }

  @Test(
    "Nothing of deleted rows remains and no other row is lost, in pages of every size.",
    arguments: shapes.indices
  )
  func random(_ shape: Int) throws {
    let (size, vacuum) = Self.shapes[shape]
    var generator = SeededGenerator(for: "page gaps \(size) \(vacuum)")
    try withDatabase("gaps") { file, connection in
      try connection.execute(
        """
        PRAGMA page_size = \(size); PRAGMA auto_vacuum = \(vacuum); PRAGMA journal_mode = WAL;
        PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
        CREATE INDEX note_text ON note (text);
        """
      )
      let pages = connection.watchPages()
      let insert = try connection.prepare("INSERT INTO note (id, text) VALUES (?1, ?2)")
      let delete = try connection.prepare("DELETE FROM note WHERE id = ?1")
      var there: [Int: Int] = [:]
      var next = 0
      for round in 0..<20 {
        try connection.execute("BEGIN")
        for _ in 0..<60 {
          if there.isEmpty || Int.random(in: 0..<5, using: &generator) > 1 {
            let id = Int.random(in: 0..<1_000_000, using: &generator)
            guard there[id] == nil else { continue }
            let length = [1, 30, 200, 3_000].randomElement(using: &generator) ?? 1
            try insert.bind(1, Int64(id))
            try insert.bind(
              2,
              "mark\(100_000 + next)" + String(repeating: "y", count: length)
            )
            try insert.run()
            there[id] = 100_000 + next
            next += 1
          } else if let id = there.keys.sorted().randomElement(using: &generator) {
            try delete.bind(1, Int64(id))
            try delete.run()
            there[id] = nil
          }
        }
        try connection.execute("COMMIT")
        let before = try rows(connection)
        guard round == 0 || Bool.random(using: &generator) else {
          // The next commit may start the log again from its beginning.
          let way = ["PASSIVE", "RESTART", "NOOP"].randomElement(using: &generator) ?? ""
          if way != "NOOP" { try connection.execute("PRAGMA wal_checkpoint(\(way))") }
          continue
        }
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try pages.clearGaps())
        #expect(try marks(in: file) == Set(there.values))
        #expect(try rows(connection) == before)
        let other = try Connection(path: file.path, mode: .readWrite)
        let check = try other.prepare("PRAGMA integrity_check")
        #expect(try check.step() && check.string(at: 0) == "ok")
        #expect(try rows(other) == before)
      }
    }
  }

  @Test(
    "Bytes between a page's cells and their list are overwritten.",
    arguments: shapes.indices
  )
  func left(_ shape: Int) throws {
    let (size, vacuum) = Self.shapes[shape]
    try withDatabase("left") { file, connection in
      try connection.execute(
        """
        PRAGMA page_size = \(size); PRAGMA auto_vacuum = \(vacuum); PRAGMA journal_mode = WAL;
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
        INSERT INTO note (text) VALUES ('short'), ('texts'); PRAGMA wal_checkpoint(TRUNCATE);
        """
      )
      let root = try connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'note'")
      #expect(try root.step())
      let writing = try FileHandle(forWritingTo: file)
      try writing.seek(toOffset: UInt64(root.int64(at: 0) - 1) * UInt64(size) + 30)
      try writing.write(contentsOf: Data("mark123456".utf8))
      #expect(try marks(in: file) == [123_456])
      root.reset()
      #expect(try connection.watchPages().clearGaps())
      #expect(try marks(in: file).isEmpty)
      #expect(try rows(connection) == ["1 short", "2 texts"])
      // Closing a handle would release SQLite's locks.
      withExtendedLifetime(writing) {}
    }
  }

  @Test("A file whose newest pages are in the write-ahead log is left as it is.")
  func newerPages() throws {
    try withDatabase("log") { _, connection in
      try connection.execute(
        "PRAGMA journal_mode = WAL; CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);"
      )
      #expect(try !connection.watchPages().clearGaps())
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(try connection.watchPages().clearGaps())
      #expect(!connection.isInTransaction)
    }
  }

  /// Calls `body` with a table of 2,000 rows with marks, whose pages have no gaps.
  private func withRows(_ body: (URL, Connection, ChangedPages) throws -> Void) throws {
    try withDatabase("rows") { file, connection in
      try connection.execute(
        """
        PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
        CREATE INDEX note_text ON note (text);
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
          INSERT INTO note SELECT i, 'mark' || (100000 + i * 7919 % 900000) || zeroblob(100) FROM n;
        PRAGMA wal_checkpoint(TRUNCATE);
        """
      )
      let pages = connection.watchPages()
      #expect(try pages.clearGaps())
      try body(file, connection, pages)
    }
  }

  @Test("Only written pages are read, or all pages if another program wrote too.")
  func cost() throws {
    try withRows { file, connection, pages in
      let all = pages.pagesRead
      #expect(all > 100)
      for id in [3, 700, 1_999] {
        let before = pages.pagesRead
        try connection.execute("DELETE FROM note WHERE id = \(id)")
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try pages.clearGaps())
        #expect((1...12).contains(pages.pagesRead - before))
      }
      let other = try Connection(path: file.path, mode: .readWrite)
      try other.execute("UPDATE note SET text = 'other' WHERE id = 5")
      let before = pages.pagesRead
      try connection.execute("DELETE FROM note WHERE id = 6; PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(try pages.clearGaps())
      #expect(pages.pagesRead - before >= all - 2)
    }
  }

  @Test("A reader of pages from before the overwriting does not write them back.")
  func staleReader() throws {
    try withDatabase("stale") { file, connection in
      try connection.execute(
        """
        PRAGMA journal_mode = WAL;
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
        INSERT INTO note (text) VALUES ('short'), ('texts'); PRAGMA wal_checkpoint(TRUNCATE);
        """
      )
      let root = try connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'note'")
      #expect(try root.step())
      let page = UInt64(root.int64(at: 0) - 1)
      root.reset()
      // SQLite leaves such bytes when it moves rows.
      let writing = try FileHandle(forWritingTo: file)
      try writing.seek(toOffset: page * 4096 + 30)
      try writing.write(contentsOf: Data("mark123456".utf8))
      let other = try Connection(path: file.path, mode: .readWrite)
      #expect(try rows(other) == ["1 short", "2 texts"])
      #expect(try connection.watchPages().clearGaps())
      #expect(try marks(in: file).isEmpty)
      // The reader has the page in its cache, and writes it.
      try other.execute("UPDATE note SET text = 'other' WHERE id = 1")
      try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(try marks(in: file).isEmpty)
      #expect(try rows(connection) == ["1 other", "2 texts"])
      // Closing a handle would release SQLite's locks.
      withExtendedLifetime(writing) {}
    }
  }

  @Test("Overwriting fails with busy while another program writes.")
  func busy() throws {
    try withDatabase("busy") { file, connection in
      try connection.execute(
        "PRAGMA journal_mode = WAL; CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);"
          + " PRAGMA wal_checkpoint(TRUNCATE)"
      )
      let other = try Connection(path: file.path, mode: .readWrite)
      try other.execute("BEGIN IMMEDIATE")
      let error = #expect(throws: SQLiteError.self) { try connection.watchPages().clearGaps() }
      #expect(error?.code == SQLiteError.busy)
      try other.execute("ROLLBACK")
      #expect(try connection.watchPages().clearGaps())
    }
  }
}
