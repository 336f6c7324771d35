import Foundation
import Pages
import SQLite
import TestSupport
import Testing

@Suite("Leaves of tables, and rows that differ between two states")
struct LeafTests {
  /// A leaf as a cursor finds it: its rows, and whether one of them has overflow pages.
  private struct NaiveLeaf {
    let page: UInt32
    var rows: [[Stored]]
    var isLarge: Bool
  }

  /// The leaves with rows, found by a cursor.
  private func leaves(_ tree: Tree, _ view: DatabaseView) throws -> [NaiveLeaf] {
    guard let root = try view.roots()[tree.name] else { return [] }
    var result: [NaiveLeaf] = []
    var cursor = try Cursor(view, root: root)
    while try cursor.next() {
      if result.last?.page != cursor.page {
        result.append(NaiveLeaf(page: cursor.page, rows: [], isLarge: false))
      }
      // A row of a quarter of a page is in one page, whatever the reserved bytes are.
      if cursor.recordCount > view.layout.pageSize / 4 { result[result.count - 1].isLarge = true }
      result[result.count - 1].rows.append(try tree.row(&cursor))
    }
    return result
  }

  private func id(_ row: [Stored]) -> Int64 {
    if case .integer(let number) = row[0] { number } else { 0 }
  }

  /// Calls the body with random states of databases that the log still has.
  private func withStates(
    _ test: String,
    _ body: (LoggedDatabase, [DatabaseView], inout SeededGenerator) throws -> Void
  ) throws {
    var random = SeededGenerator(for: test)
    for (pageSize, vacuum) in [(512, "NONE"), (1024, "FULL"), (4096, "NONE")] {
      try withTemporaryFolder { folder in
        let database = try LoggedDatabase(
          folder,
          pageSize: pageSize,
          encoding: RandomDatabase.encodings.randomElement(using: &random) ?? "UTF-8",
          vacuum: vacuum,
          seed: random.next()
        )
        for _ in 0..<trials(8, long: 60) {
          try database.commit(statements: Int.random(in: 1...6, using: &random))
        }
        let log = try #require(try WriteAheadLog(.bytes(database.logBytes)))
        let views = try (0...log.commits.count).map {
          try DatabaseView(database.file, log: log, commit: $0)
        }
        try body(database, views, &random)
      }
    }
  }

  @Test("The leaves have the rows that a cursor reads, and equal digests only for equal rows.")
  func leaves() throws {
    try withStates("leaves of tables") { _, views, _ in
      var known: [PageDigest: [[Stored]]] = [:]
      var places: [String: PageDigest] = [:]
      for view in views {
        for tree in Tree.all where tree.isTable {
          let root = try #require(try view.roots()[tree.name])
          var found: [TableLeaf] = []
          try view.forEachLeaf(ofTable: root) { found.append($0) }
          let wanted = try leaves(tree, view)
          #expect(found.filter { $0.rows != nil }.map(\.page) == wanted.map(\.page))
          #expect(found.reduce(0) { $0 + $1.rowCount } == wanted.reduce(0) { $0 + $1.rows.count })
          if wanted.isEmpty { #expect(found.count == 1 && found[0].rowCount == 0) }
          for (leaf, naive) in zip(found, wanted) {
            #expect(leaf.rowCount == naive.rows.count)
            #expect(leaf.rows == id(naive.rows[0])...id(naive.rows[naive.rows.count - 1]))
            #expect(known[leaf.digest] == nil || known[leaf.digest] == naive.rows)
            known[leaf.digest] = naive.rows
            guard !naive.isLarge else { continue }
            // A page from the same place has the same digest in each state.
            let place = "\(leaf.page) \(view.frame(of: leaf.page))"
            #expect(places[place] == nil || places[place] == leaf.digest)
            places[place] = leaf.digest
          }
        }
      }
    }
  }

  @Test("Trees with equal digests or with the same pages have the same rows.")
  func trees() throws {
    try withStates("digests of trees") { database, views, random in
      for _ in 0..<trials(30, long: 400) {
        let pair = (0...1).map { _ in Int.random(in: 0..<views.count, using: &random) }
        let (old, new) = (views[pair[0]], views[pair[1]])
        let comparison = try Comparison(old, new)
        for tree in Tree.all {
          let roots = (try #require(try old.roots()[tree.name]), try new.roots()[tree.name] ?? 0)
          let digests = (try old.digest(ofTree: roots.0), try new.digest(ofTree: roots.1))
          let isSame = try comparison.isSame(tree: roots.0, newRoot: roots.1)
          #expect(try old.hasRowIDs(tree: roots.0) == tree.isTable)
          let haveSameRows =
            database.states[pair[0]][tree.name] == database.states[pair[1]][tree.name]
          if digests.0 == digests.1 { #expect(haveSameRows, "\(tree.name)") }
          if isSame { #expect(haveSameRows && digests.0 == digests.1, "\(tree.name)") }
          if comparison.written.isEmpty { #expect(isSame && digests.0 == digests.1) }
        }
      }
    }
  }

  @Test("The changed rows are all rows that differ, in order, with the leaves that differ.")
  func changedRows() throws {
    try withStates("changed rows") { database, views, random in
      for _ in 0..<trials(30, long: 400) {
        let pair = (0...1).map { _ in Int.random(in: 0..<views.count, using: &random) }
        let (old, new) = (views[pair[0]], views[pair[1]])
        for tree in Tree.all where tree.isTable {
          let roots = (try #require(try old.roots()[tree.name]), try new.roots()[tree.name] ?? 0)
          var found: [Int64] = []
          let changed = try Comparison(old, new)
            .forEachChangedRow(ofTable: roots.0, newRoot: roots.1) { found.append($0) }
          let rows = pair.map { Set(database.states[$0][tree.name] ?? []) }
          let wanted = Set(rows[0].symmetricDifference(rows[1]).map(id))
          #expect(found == Array(Set(found)).sorted(), "\(tree.name)")
          #expect(wanted.isSubset(of: found), "\(tree.name)")
          let leaves = (try leaves(tree, old), try leaves(tree, new))
          let large = Set((leaves.0 + leaves.1).filter(\.isLarge).flatMap { $0.rows.map(id) })
          #expect(Set(found).subtracting(wanted).isSubset(of: large), "\(tree.name)")
          for (page, view, other) in leaves.0.map({ ($0.page, old, new) })
            + leaves.1.map({ ($0.page, new, old) })
          where view.frame(of: page) != other.frame(of: page) {
            #expect(changed.contains(page), "\(tree.name)")
          }
        }
      }
    }
  }

  @Test("The number of commits up to a position is known as long as the log has its frames.")
  func position() throws {
    try withStates("positions in a log") { database, _, _ in
      let bytes = try database.logBytes
      let log = try #require(try WriteAheadLog(.bytes(bytes)))
      var positions = [LogPosition(salts: log.header.salts, frame: 0, checksum: try start(bytes))]
      let frame = 24 + log.header.pageSize
      for commit in log.commits {
        let part = Array(bytes.prefix(32 + frame * Int(commit.lastFrame)))
        positions.append(try #require(try WriteAheadLog(.bytes(part))).position)
      }
      for (number, position) in positions.enumerated() {
        #expect(try log.commit(at: position) == number)
        let shorter = positions[max(0, number - 1)].frame
        let cut = try WriteAheadLog(.bytes(Array(bytes.prefix(32 + frame * Int(shorter)))))
        if number > 0 { #expect(try cut?.commit(at: position) == nil) }
      }
      try database.checkpoint("RESTART")
      try database.commit(statements: 3)
      let restarted = try #require(try WriteAheadLog(.bytes(database.logBytes)))
      for position in positions { #expect(try restarted.commit(at: position) == nil) }
    }
  }

  /// The checksum after the header of a log.
  private func start(_ bytes: [UInt8]) throws -> LogChecksum {
    try #require(try WriteAheadLog(.bytes(Array(bytes.prefix(32))))).position.checksum
  }

  @Test(
    "The index of a log says which frames a checkpoint may have copied, also of changed-back pages."
  )
  func index() throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "app.db")
      let connection = try Connection(path: url.path, mode: .readWriteCreate)
      try connection.execute(
        """
        PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE note (id INTEGER PRIMARY KEY, number); INSERT INTO note VALUES (1, 1);
        PRAGMA wal_checkpoint(TRUNCATE);
        UPDATE note SET number = 2; UPDATE note SET number = 1;
        """
      )
      func files() throws -> (file: ByteSource, log: WriteAheadLog, index: ByteSource) {
        (
          try ByteSource(contentsOf: url),
          try #require(try WriteAheadLog(ByteSource(contentsOf: log(of: url)))),
          try ByteSource(contentsOf: URL(fileURLWithPath: url.path + "-shm"))
        )
      }
      let changed = try files()
      #expect(changed.log.commits.count == 2)
      // The page has its first bytes again, as if a checkpoint had copied it.
      #expect(try changed.log.firstReadableCommit(in: changed.file) == 1)
      #expect(try LogIndex(changed.index, of: changed.log.header)?.lastCheckpointedFrame == 0)
      #expect(
        try changed.log.firstReadableCommit(in: changed.file, checkpointedThrough: 0) == 0
      )
      // A program that is killed before it updates the index has committed nothing for the others.
      let committed = try #require(try LogIndex(changed.index, of: changed.log.header))
      #expect(committed.lastCommittedFrame == changed.log.position.frame)
      var shorter = changed.log
      try shorter.removeCommits(after: changed.log.commits[0].lastFrame)
      #expect(shorter.commits == [changed.log.commits[0]])
      #expect(try shorter.update() == .committed)
      #expect(shorter.position == changed.log.position)
      try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
      let copied = try files()
      #expect(
        try LogIndex(copied.index, of: copied.log.header)?.lastCheckpointedFrame
          == copied.log.position.frame
      )
      try connection.execute("UPDATE note SET number = 3")
      let restarted = try files()
      #expect(try LogIndex(restarted.index, of: restarted.log.header)?.lastCheckpointedFrame == 0)
      // The index of another log, and a part of an index.
      #expect(try LogIndex(restarted.index, of: copied.log.header) == nil)
      #expect(try LogIndex(.bytes([1, 2, 3]), of: copied.log.header) == nil)
    }
  }
}
