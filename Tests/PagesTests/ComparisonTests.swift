import Foundation
import Pages
import SQLite
import TestSupport
import Testing

@Suite("Pages that differ between two states")
struct ComparisonTests {
  @Test(
    "The changed rows of deep trees are all rows that differ, between any two states.",
    arguments: ["NONE", "FULL"]
  )
  func deepTrees(_ vacuum: String) throws {
    var random = SeededGenerator(for: "deep trees \(vacuum)")
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "app.db")
      let connection = try Connection(path: url.path, mode: .readWriteCreate)
      try connection.execute(
        """
        PRAGMA page_size = 512; PRAGMA auto_vacuum = \(vacuum);
        PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE left (id INTEGER PRIMARY KEY, value);
        CREATE TABLE right (id INTEGER PRIMARY KEY, value);
        """
      )
      var states = [try rows(connection)]
      for _ in 0..<trials(60, long: 300) {
        try connection.execute("BEGIN")
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          try connection.execute(statement(&random))
        }
        // So that each commit writes something.
        try connection.execute("PRAGMA user_version = \(states.count); COMMIT")
        states.append(try rows(connection))
      }
      let file = try ByteSource(contentsOf: url)
      let log = try #require(try WriteAheadLog(ByteSource(contentsOf: log(of: url))))
      #expect(log.commits.count >= states.count - 1)
      let first = log.commits.count - states.count + 1
      for number in 0..<trials(200, long: 3_000) {
        let old = Int.random(in: 0..<states.count, using: &random)
        // Most readings are of one commit after the other.
        let next = number % 4 == 0 ? Int.random(in: 0..<states.count, using: &random) : old + 1
        let new = min(next, states.count - 1)
        let views = try [old, new].map { try DatabaseView(file, log: log, commit: first + $0) }
        let comparison = try Comparison(views[0], views[1])
        for table in ["left", "right"] {
          let roots = try views.map { try #require(try $0.roots()[table]) }
          var found: [Int64] = []
          _ = try comparison.forEachChangedRow(ofTable: roots[0], newRoot: roots[1]) {
            found.append($0)
          }
          let (before, after) = (states[old][table] ?? [:], states[new][table] ?? [:])
          let wanted = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
          #expect(wanted.isSubset(of: found), "\(table) from \(old) to \(new)")
          #expect(found == Set(found).sorted())
          if try comparison.isSame(tree: roots[0], newRoot: roots[1]) { #expect(wanted.isEmpty) }
          // Nothing is read without a reason.
          if comparison.written.isEmpty { #expect(found.isEmpty) }
        }
      }
    }
  }

  private func rows(_ connection: Connection) throws -> [String: [Int64: String]] {
    try ["left", "right"].reduce(into: [:]) { result, table in
      let reading = try connection.prepare("SELECT id, value FROM \(table)")
      var rows: [Int64: String] = [:]
      while try reading.step() { rows[reading.int64(at: 0)] = reading.string(at: 1) }
      result[table] = rows
    }
  }

  /// A statement that makes a tree grow, shrink or change.
  private func statement(_ random: inout SeededGenerator) -> String {
    let table = Bool.random(using: &random) ? "left" : "right"
    let (start, count) = (
      Int.random(in: 1...6_000, using: &random), Int.random(in: 1...2_000, using: &random)
    )
    switch Int.random(in: 0..<9, using: &random) {
    case 0...2:
      return """
        WITH RECURSIVE n (i) AS (VALUES (\(start)) UNION ALL SELECT i + 1 FROM n
          WHERE i < \(start + count))
        INSERT OR REPLACE INTO \(table) SELECT i, hex(randomblob(i % 20)) FROM n
        """
    case 3: return "DELETE FROM \(table) WHERE id BETWEEN \(start) AND \(start + count)"
    case 4: return "DELETE FROM \(table) WHERE id > \(start)"
    case 5:
      return start % 3 == 0
        ? "DELETE FROM \(table)" : "DELETE FROM \(table) WHERE id % 3 = \(start % 3)"
    default: return "UPDATE \(table) SET value = random() WHERE id % 997 = \(start % 997)"
    }
  }

  @Test("A few changed rows in a large table need only the pages that lead to these rows.")
  func cost() throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "app.db")
      let connection = try Connection(path: url.path, mode: .readWriteCreate)
      try connection.execute(
        """
        PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE note (id INTEGER PRIMARY KEY, text, number);
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
          INSERT INTO note SELECT i, 'text ' || zeroblob(80), i FROM n;
        PRAGMA wal_checkpoint(TRUNCATE);
        UPDATE note SET number = -1 WHERE id IN (5, 9000, 19999);
        """
      )
      let log = try WriteAheadLog(ByteSource(contentsOf: log(of: url)))
      let bytes = Array(try Data(contentsOf: url))
      func changedRows(in bytes: [UInt8]) throws -> (rows: [Int64], leaves: Set<UInt32>) {
        let views = try [0, 1].map { try DatabaseView(.bytes(bytes), log: log, commit: $0) }
        let comparison = try Comparison(views[0], views[1])
        #expect(comparison.written.count == 3)
        var rows: [Int64] = []
        let leaves = try comparison.forEachChangedRow(ofTable: 2, newRoot: 2) { rows.append($0) }
        #expect(leaves == Set(comparison.written))
        return (rows, leaves)
      }
      #expect(try changedRows(in: bytes).rows == [5, 9000, 19_999])
      let pages = bytes.count / 512
      #expect(pages > 3_000)
      let needed = stride(from: 3, through: pages, by: 20).filter { page in
        var damaged = bytes
        for place in (page - 1) * 512..<min(page + 19, pages) * 512 { damaged[place] = 0 }
        return (try? changedRows(in: damaged).rows) != [5, 9000, 19_999]
      }
      // Three leaves, their parents, and the leaf that shows how deep the tree is, of 200 places.
      #expect((3...12).contains(needed.count), "\(needed)")
    }
  }

  @Test("A large value that SQLite overwrites without writing to the page of its row is found.")
  func overwrittenValue() throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "app.db")
      let connection = try Connection(path: url.path, mode: .readWriteCreate)
      try connection.execute(
        """
        PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE note (id INTEGER PRIMARY KEY, bytes);
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
          INSERT INTO note SELECT i, zeroblob(20000) FROM n;
        PRAGMA wal_checkpoint(TRUNCATE);
        UPDATE note SET bytes = CAST(zeroblob(19999) || x'01' AS BLOB) WHERE id = 150;
        """
      )
      let (file, bytes) = (
        try ByteSource(contentsOf: url), try ByteSource(contentsOf: log(of: url))
      )
      let log = try WriteAheadLog(bytes)
      let (old, new) = (
        try DatabaseView(file, log: log, commit: 0), try DatabaseView(file, log: log)
      )
      let comparison = try Comparison(old, new)
      var found: [Int64] = []
      let leaves = try comparison.forEachChangedRow(ofTable: 2, newRoot: 2) { found.append($0) }
      // Otherwise this is a test of the usual way.
      #expect(leaves.isDisjoint(with: comparison.written))
      #expect(found.contains(150) && found.count < 200)
    }
  }
}
