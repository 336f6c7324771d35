import Foundation
import Pages
import SQLite
import TestSupport
import Testing

@Suite("Pages that differ between two states")
struct ComparisonTests {
  @Test(
    "The rows in differing pages are all rows that differ, between any two states.",
    arguments: [512, 1024, 4096]
  )
  func random(_ pageSize: Int) throws {
    var random = SeededGenerator(for: "comparison of states \(pageSize)")
    for vacuum in ["NONE", "FULL"] {
      try withTemporaryFolder { folder in
        let database = try LoggedDatabase(
          folder,
          pageSize: pageSize,
          encoding: "UTF-8",
          vacuum: vacuum,
          seed: random.next()
        )
        for _ in 0..<trials(8, long: 60) {
          try database.commit(statements: Int.random(in: 1...4, using: &random))
        }
        let file = try database.file
        let log = try #require(try WriteAheadLog(.bytes(database.logBytes)))
        for _ in 0..<trials(20, long: 400) {
          let commits = (0...1).map { _ in
            database.states.indices.randomElement(using: &random) ?? 0
          }
          let views = try commits.map { try DatabaseView(file, log: log, commit: $0) }
          let comparison = try Comparison(views[0], views[1])
          for tree in Tree.all {
            try expectDifference(
              of: tree,
              comparison,
              commits.map { database.states[$0][tree.name] ?? [] }
            )
          }
        }
      }
    }
  }

  /// The rows that a cursor reads from the differing pages of two states contain each row that only
  /// one of the states has.
  private func expectDifference(
    of tree: Tree,
    _ comparison: Comparison,
    _ states: [[[Stored]]]
  ) throws {
    let (old, new) = (try comparison.old.roots(), try comparison.new.roots())
    let equal = try comparison.equalPages(
      ofTree: old[tree.name] ?? 0,
      newRoot: new[tree.name] ?? 0
    )
    let rows = [
      Set(try tree.rows(comparison.old, skipping: equal)),
      Set(try tree.rows(comparison.new, skipping: equal)),
    ]
    #expect(rows[0].subtracting(rows[1]) == Set(states[0]).subtracting(states[1]), "\(tree.name)")
    #expect(rows[1].subtracting(rows[0]) == Set(states[1]).subtracting(states[0]), "\(tree.name)")
    #expect(rows[0].isSubset(of: states[0]) && rows[1].isSubset(of: states[1]))
    // Nothing is read without a reason.
    if comparison.written.isEmpty { #expect(rows.allSatisfy { $0.isEmpty }) }
  }

  @Test("A few changed rows in a large table need only the pages of these rows.")
  func cost() throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "app.db")
      let connection = try Connection(path: url.path, mode: .readWriteCreate)
      try connection.execute(
        """
        PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE note (id INTEGER PRIMARY KEY, text, number);
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
          INSERT INTO note SELECT i, 'text ' || zeroblob(80), i FROM n;
        PRAGMA wal_checkpoint(TRUNCATE);
        UPDATE note SET number = -1 WHERE id IN (5, 9000, 19999);
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
      #expect(comparison.written.count == 3)
      let equal = try comparison.equalPages(ofTree: 2)
      #expect(equal.count > 400 && equal.count + 3 <= Int(new.pageCount))
      for view in [old, new] {
        var rows = try Cursor(view, root: 2, skipping: equal)
        var count = 0
        while try rows.next() {
          count += 1
          #expect(comparison.written.contains(rows.page))
        }
        #expect((3..<150).contains(count))
      }
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
      let equal = try comparison.equalPages(ofTree: 2)
      var rows = try Cursor(new, root: 2, skipping: equal)
      var found: [Int64] = []
      while try rows.next() {
        found.append(rows.rowID)
        // Otherwise this is a test of the usual way.
        #expect(!comparison.written.contains(rows.page))
      }
      #expect(found.contains(150) && found.count < 200)
    }
  }
}
