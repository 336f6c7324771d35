import Foundation
import LogFuzzing
import Pages
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite("Commits in a write-ahead log")
struct WriteAheadLogTests {
  /// Calls the body with databases of different shapes and random commits in their logs.
  private func withDatabases(
    _ test: String,
    commits: Int,
    _ body: (LoggedDatabase, inout SeededGenerator) throws -> Void
  ) throws {
    var random = SeededGenerator(for: test)
    for pageSize in [512, 1024, 4096, 65_536] {
      try withTemporaryFolder { folder in
        let database = try LoggedDatabase(
          folder,
          pageSize: pageSize,
          encoding: RandomDatabase.encodings.randomElement(using: &random) ?? "UTF-8",
          vacuum: ["NONE", "FULL"].randomElement(using: &random) ?? "NONE",
          seed: random.next()
        )
        for _ in 0..<commits {
          try database.commit(statements: Int.random(in: 1...12, using: &random))
        }
        try body(database, &random)
      }
    }
  }

  private func openedLog(_ bytes: [UInt8]) throws -> WriteAheadLog {
    try #require(try WriteAheadLog(.bytes(bytes)))
  }

  @Test("The state after each commit has the rows of a copy that was taken after the commit.")
  func states() throws {
    try withDatabases("states of a log", commits: trials(8, long: 60)) { database, _ in
      let log = try openedLog(database.logBytes)
      #expect(log.end.reason == .endOfFile)
      try #require(log.commits.count == database.states.count - 1)
      let file = try database.file
      for (commit, state) in database.states.enumerated() {
        let view = try DatabaseView(file, log: log, commit: commit)
        expectEqual(try dump(view), state, "commit \(commit)")
      }
    }
  }

  @Test("A log that is cut or damaged ends where SQLite stops to read it.")
  func damagedTail() throws {
    try withDatabases("damaged logs", commits: 4) { database, random in
      let (file, whole) = (try database.file, try database.logBytes)
      let frameSize = try openedLog(whole).header.pageSize + 24
      for _ in 0..<trials(12, long: 400) {
        var bytes = whole
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let isCut = Bool.random(using: &random)
        if isCut {
          bytes.removeSubrange(place...)
        } else {
          // Half of the changes are in the headers of frames.
          let frame = max(0, place - 32) / frameSize * frameSize + 32
          let header = frame + Int.random(in: 0..<24, using: &random)
          let target = Bool.random(using: &random) ? place : header
          bytes[target] ^= UInt8.random(in: 1...255, using: &random)
          if Bool.random(using: &random) { bytes += [UInt8](repeating: 7, count: frameSize + 5) }
        }
        let log = try WriteAheadLog(.bytes(bytes))
        let view = try DatabaseView(file, log: log)
        expectEqual(try dump(view), try database.rows(file, bytes), "cut \(isCut) at \(place)")
        guard let log, log.end.frame <= UInt32((whole.count - 32) / frameSize) else { continue }
        // The end is reported where the change is.
        let frames = log.end.offset..<log.end.offset + Int64(frameSize)
        #expect(frames.contains(Int64(place)) || !isCut)
        #expect(isCut == [.endOfFile, .incompleteFrame].contains(log.end.reason))
      }
    }
  }

  @Test("A log whose checksums add big-endian words is read as SQLite reads it.")
  func otherByteOrder() throws {
    try withDatabases("byte orders of checksums", commits: 3) { database, _ in
      var bytes = try database.logBytes
      bytes[3] ^= 1
      #expect(try WriteAheadLog(.bytes(bytes)) == nil)
      bytes = withChecksums(bytes)
      let log = try openedLog(bytes)
      #expect(log.commits.count == 3 && log.end.reason == .endOfFile)
      expectEqual(
        try dump(DatabaseView(database.file, log: log)),
        try database.rows(database.file, bytes),
        "the other byte order"
      )
    }
  }

  @Test("A reader continues after a commit, and recognises that the log was begun again.")
  func continuing() throws {
    try withDatabases("continued logs", commits: 2) { database, random in
      var log = try openedLog(database.logBytes)
      let descriptor = open(PagesTests.log(of: database.database.url).path, O_RDONLY)
      defer { close(descriptor) }
      var live = try #require(try WriteAheadLog(.descriptor(descriptor)))
      for _ in 0..<3 {
        #expect(try live.update() == .unchanged)
        #expect(try live.position.change(in: .bytes(database.logBytes)) == .unchanged)
        let (known, sum) = (live.position, live.position.checksum)
        let before = LogPosition(
          salts: known.salts,
          frame: known.frame,
          checksum: LogChecksum(
            isBigEndian: sum.isBigEndian,
            first: sum.first,
            second: sum.second
          )
        )
        try database.commit(statements: Int.random(in: 1...6, using: &random))
        #expect(try before.change(in: .descriptor(descriptor)) == .committed)
        #expect(try live.update() == .committed)
        log = try openedLog(database.logBytes)
        #expect(live.commits == log.commits && live.position == log.position)
        let cut = try database.logBytes.dropLast(10)
        #expect(try live.position.change(in: .bytes(Array(cut))) == .restarted)
        let view = try DatabaseView(database.file, log: live)
        expectEqual(try dump(view), try #require(database.states.last), "continued")
      }
      let (last, old) = (live.position, try DatabaseView(database.file, log: live))
      let salts = live.header.salts
      try database.checkpoint("RESTART")
      #expect(try live.update() == .unchanged)
      try database.commit(statements: 1)
      #expect(try last.change(in: .descriptor(descriptor)) == .restarted)
      #expect(try live.update() == .restarted)
      let next = try openedLog(database.logBytes)
      #expect(next.header.salts != salts)
      #expect(next.header.checkpointSequence == log.header.checkpointSequence + 1)
      // The frames from before are still in the file.
      if next.position.frame < last.frame { #expect(next.end.reason == .olderFrame) }
      for (commit, state) in database.states.enumerated() where commit > 0 {
        let view = try DatabaseView(database.file, log: next, commit: commit)
        expectEqual(try dump(view), state, "log that was begun again")
      }
      // A state of the old log does not return pages of the new one.
      do {
        _ = try dump(old)
      } catch {
        #expect((error as? PageError)?.code == .changedMeanwhile)
      }
      try database.checkpoint("TRUNCATE")
      #expect(try next.position.change(in: .descriptor(descriptor)) == .restarted)
      #expect(try WriteAheadLog(.descriptor(descriptor)) == nil)
    }
  }

  @Test("A state of a log that was begun again is refused, instead of read from newer pages.")
  func replacedLog() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "app.db")
      let connection = try Connection(path: file.path, mode: .readWriteCreate)
      try connection.execute(
        """
        PRAGMA journal_mode = WAL; CREATE TABLE note (text); PRAGMA wal_checkpoint(TRUNCATE);
        INSERT INTO note VALUES ('old');
        """
      )
      let descriptors = [file, log(of: file)].map { open($0.path, O_RDONLY) }
      let view = try DatabaseView(
        .descriptor(descriptors[0]),
        log: WriteAheadLog(.descriptor(descriptors[1]))
      )
      try connection.execute("PRAGMA wal_checkpoint(RESTART); INSERT INTO note VALUES ('new')")
      let error = #expect(throws: PageError.self) {
        var rows = try Cursor(view, root: 2)
        _ = try rows.next()
      }
      #expect(error?.code == .changedMeanwhile && error?.page == 2 && error?.frame == 1)
      withExtendedLifetime(connection) {}
      for descriptor in descriptors { close(descriptor) }
    }
  }

  @Test("While another thread writes, each state that a reader finds is that of a commit.")
  func liveWriter() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "app.db")
      let commits = 300
      // As long as this connection is open, SQLite keeps the log.
      let connection = try Connection(path: file.path, mode: .readWriteCreate)
      try connection.execute(
        """
        CREATE TABLE counter (count); INSERT INTO counter VALUES (0); CREATE TABLE note (bytes);
        PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 1;
        """
      )
      // A thread of its own, because other tests can keep all threads of tasks busy.
      let failure = Mutex<String?>(nil)
      Thread.detachNewThread {
        do {
          let writer = try Connection(path: file.path, mode: .readWrite)
          try writer.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 3")
          for _ in 0..<commits {
            try writer.execute(
              """
              BEGIN; UPDATE counter SET count = count + 1;
              INSERT INTO note VALUES (randomblob(30000)), (randomblob(5000)); COMMIT
              """
            )
          }
        } catch {
          failure.withLock { $0 = "\(error)" }
        }
      }
      let descriptors = [file, PagesTests.log(of: file)].map { open($0.path, O_RDONLY) }
      defer { for descriptor in descriptors { close(descriptor) } }
      var log = try #require(try WriteAheadLog(.descriptor(descriptors[1])))
      var (count, states) = (0, 0)
      while count < commits, failure.withLock({ $0 }) == nil {
        #expect(try log.update() != .restarted)
        let view = try DatabaseView(.descriptor(descriptors[0]), log: log)
        // The first commit wrote the version.
        count = log.commits.count - 1
        let roots = try view.roots()
        var counters = try Cursor(view, root: roots["counter"] ?? 0)
        try #require(try counters.next())
        let counter = try counters.value(at: 0).map { Stored($0) }
        #expect(counter == .integer(Int64(count)))
        var notes = 0
        var rows = try Cursor(view, root: roots["note"] ?? 0)
        while try rows.next() { notes += 1 }
        #expect(notes == 2 * count)
        states += 1
      }
      withExtendedLifetime(connection) {}
      #expect(failure.withLock { $0 } == nil)
      #expect(count == commits && states > 0)
    }
  }

  @Test(
    "Frames of an unfinished transaction do not count, and the next transaction replaces them."
  )
  func unfinished() throws {
    try withDatabases("unfinished transactions", commits: 3) { database, _ in
      let before = try database.logBytes
      let log = try openedLog(before)
      let connection = database.database.connection
      try connection.execute(
        """
        PRAGMA cache_size = 2; BEGIN;
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 90)
          INSERT INTO unnumbered SELECT i, randomblob(20000), 1 FROM n;
        """
      )
      let spilled = try database.logBytes
      #expect(try log.position.change(in: .bytes(spilled)) == .unchanged)
      let during = try openedLog(spilled)
      #expect(during.commits == log.commits && during.position == log.position)
      #expect(spilled.count > before.count && during.end.frame >= log.end.frame)
      expectEqual(
        try dump(DatabaseView(database.file, log: during)),
        try #require(database.states.last),
        "unfinished"
      )
      try connection.execute("ROLLBACK")
      try database.commit(statements: 3)
      #expect(try log.position.change(in: .bytes(database.logBytes)) == .committed)
      expectEqual(
        try dump(DatabaseView(database.file, log: openedLog(database.logBytes))),
        try #require(database.states.last),
        "after the rollback"
      )
    }
  }

  @Test("Pages that a checkpoint copied are found, and states are readable from then on.")
  func halfCheckpointed() throws {
    var found = 0
    try withDatabases("half of a log is checkpointed", commits: 3) { database, random in
      let reader = try Connection(path: database.database.url.path, mode: .readWrite)
      try reader.execute("BEGIN")
      _ = try dump(reader)
      let held = try openedLog(database.logBytes).commits.count
      for _ in 0..<4 { try database.commit(statements: Int.random(in: 1...4, using: &random)) }
      let log = try openedLog(database.logBytes)
      // The reader needs its state, so the checkpoint only copies pages that are not written later.
      try database.database.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
      let file = try database.file
      let copied = try openedLog(database.logBytes).commits[held - 1].lastFrame
      var (pages, last): ([UInt32], UInt32) = ([], 0)
      try log.forEachCheckpointedPage(in: file) { page in
        pages.append(page.page)
        last = max(last, page.firstFrame)
        // Without a coincidence, a later frame is not in the database file.
        #expect(page.firstFrame <= page.equalFrame && page.firstFrame <= copied)
      }
      #expect(pages == pages.sorted())
      found += pages.count
      let first = try log.firstReadableCommit(in: file)
      #expect((0...held).contains(first) && (first > 0) == !pages.isEmpty)
      if first > 0 {
        let frames = [0] + log.commits.map(\.lastFrame)
        #expect(frames[first - 1] < last && last <= frames[first])
      }
      for (commit, state) in database.states.enumerated() where commit >= first {
        let view = try DatabaseView(file, log: log, commit: commit)
        expectEqual(try dump(view), state, "commit \(commit) of a log half checkpointed")
      }
      try reader.execute("COMMIT")
    }
    #expect(found > 0)
  }

  @Test("Digests are equal for the same page at another time, and differ for changed pages.")
  func digests() throws {
    try withDatabases("digests of pages", commits: 3) { database, _ in
      let (file, log) = (try database.file, try openedLog(database.logBytes))
      func digests(_ commit: Int) throws -> [UInt32: PageDigest] {
        var result: [UInt32: PageDigest] = [:]
        try DatabaseView(file, log: log, commit: commit).forEachDigest { result[$0] = $1 }
        return result
      }
      let (before, after) = (try digests(2), try digests(3))
      let comparison = try Comparison(
        DatabaseView(file, log: log, commit: 2),
        DatabaseView(file, log: log, commit: 3)
      )
      let differing = Set(after.keys.filter { before[$0] != after[$0] })
      #expect(!differing.isEmpty && differing.isSubset(of: comparison.written))
      try database.checkpoint("TRUNCATE")
      var later: [UInt32: PageDigest] = [:]
      try DatabaseView(database.file).forEachDigest { later[$0] = $1 }
      #expect(later == after)
    }
  }

  @Test("Each changed bit of a page changes its digest.")
  func digestBits() {
    var random = SeededGenerator(for: "digests of bytes")
    var page = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
    func digest() -> PageDigest { page.withUnsafeBytes { PageDigest(of: $0) } }
    var seen: Set<PageDigest> = [digest()]
    for place in page.indices {
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      page[place] ^= bit
      #expect(seen.insert(digest()).inserted)
      page[place] ^= bit
    }
    // Digests are stored, so the function must not change.
    page = (0..<512).map { UInt8($0 & 0xff) }
    #expect(digest().value == 16_462_787_755_189_510_675)
  }
}
