import Changes
import Foundation
import Store
import TestSupport
import Testing

@testable import ChangeLog
@testable import Pipeline

@Suite("The logs of one lineage in order")
struct LogChainTests {
  @Test("Of up to three logs, those whose transactions are all in another one are recognised.")
  func covered() throws {
    let ranges: [ClosedRange<Int64>] = [1...1, 1...2, 1...3, 2...2, 2...3, 3...3]
    for bits in 0..<1 << ranges.count {
      try withTemporaryFolder { url in
        let there = ranges.indices.filter { bits >> $0 & 1 == 1 }.map { ranges[$0] }
        for range in there {
          let name = LogName(store: "S", lineage: 0, day: "2026-09-20", range: range)
          let file = url.appendingPathComponent(name.path)
          try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
          )
          try Data().write(to: file)
        }
        let chain = try LogChain(LogFolder(url.path), store: "S", lineage: 0)
        let isCovered = { (range: ClosedRange<Int64>) in
          there.contains {
            $0 != range && $0.contains(range.lowerBound) && $0.contains(range.upperBound)
          }
        }
        #expect(chain.files.map(\.range) == there.filter { !isCovered($0) })
        #expect(Set(chain.covered.map(\.range)) == Set(there.filter(isCovered)))
        #expect(chain.snapshots.isEmpty)
      }
    }
  }

  @Test(
    "A log is in the folder of its first transaction's day, whatever the days of the others are."
  )
  func days() throws {
    try withTemporaryFolder { url in
      var world = try World(url, "a log of two days")
      for day in 1...2 {
        try world.write(1)
        // The next transaction or the export computes the digest again.
        let set =
          "UPDATE history_transaction SET digest = NULL, time = '2026-01-0\(day)T12:00:00.000000Z'"
        try runSQL(set + " WHERE id = (SELECT max(id) FROM history_transaction)", on: world.path)
      }
      try world.export()
      #expect(try world.files().map { $0.contains("/date=2026-01-01/") } == [true])
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
    }
  }

  /// Calls `body` with the chain of three logs, and the points before each and at the end.
  private func withChain(
    _ name: String,
    _ body: (LogChain, [HistoryPoint], World) throws -> Void
  ) throws {
    try withTemporaryFolder { url in
      var world = try World(url, name)
      world.history.hasLargeValues = false
      for _ in 0..<3 {
        try world.write(2)
        try world.export()
      }
      let chain = try LogChain(world.logs, store: world.source.identifier, lineage: 0)
      try #require(chain.files.count == 3)
      let ends = [0] + chain.files.map(\.range.upperBound)
      let points = try world.source.read { reader in try ends.map { try reader.point($0) } }
      try body(chain, points, world)
    }
  }

  @Test("A log is opened only after the transaction that its first one follows.")
  func following() throws {
    try withChain("log chain") { chain, points, _ in
      #expect(points[0] == chain.beginning)
      for (index, file) in chain.files.enumerated() {
        for (place, point) in points.enumerated() {
          var code: LogError.Code?
          do {
            _ = try chain.open(file, after: point)
          } catch let error as LogError {
            code = error.code
          }
          #expect(code == (place == index ? nil : .gap), "log \(index) after \(place)")
        }
        var other = points[index]
        other.digest = SHA256.digest(of: [])
        let error = #expect(throws: LogError.self) { _ = try chain.open(file, after: other) }
        #expect(error?.code == .damaged)
      }
    }
  }

  @Test("Reading from any known point to the end gives the store's last transaction.")
  func end() throws {
    try withChain("end of a log chain") { chain, points, _ in
      let begins = try chain.beginsLineage()
      #expect(begins)
      for known in [nil] + points.map(Optional.some) {
        let end = try chain.verifiedEnd(after: known)
        #expect(end == points[3])
      }
    }
  }

  @Test("A log in the folder of another store, or named for other transactions, is refused.")
  func misplaced() throws {
    try withChain("misplaced logs") { chain, points, world in
      let other = try LogChain(world.logs, store: "another", lineage: 0)
      var renamed = chain.files[1]
      renamed.range = renamed.range.lowerBound + 1...renamed.range.upperBound + 1
      for (chain, file) in [(other, chain.files[1]), (chain, renamed)] {
        let error = #expect(throws: LogError.self) { _ = try chain.open(file, after: nil) }
        #expect(error?.code == .damaged)
        #expect(error?.path == file.path)
      }
      var short = chain.files[1]
      short.range = short.range.lowerBound...short.range.upperBound + 1
      let reader = try chain.open(short, after: points[1])
      while try reader.next() != nil {}
      let error = #expect(throws: LogError.self) { try chain.checkEnd(reader, file: short) }
      #expect(error?.code == .damaged)
    }
  }

  @Test("A known point inside a log is compared with the log, and reading continues to the end.")
  func insideLog() throws {
    try withTemporaryFolder { url in
      let world = try World(url, "known points inside a log")
      for id in 1...4 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      let chain = try LogChain(world.logs, store: world.source.identifier, lineage: 0)
      let file = try #require(chain.files.first)
      let end = try world.point(4)
      for id in 0...4 as ClosedRange<Int64> {
        let known = try world.point(id)
        #expect(try chain.origin(after: known) == known)
        #expect(try chain.verifiedEnd(after: known) == end)
        var other = known
        other.digest = SHA256.digest(of: [])
        guard id < 4 else {
          // No log has later transactions, so nothing is read.
          #expect(try chain.verifiedEnd(after: other) == other)
          continue
        }
        let error = #expect(throws: LogError.self) { _ = try chain.verifiedEnd(after: other) }
        let reason = id == 0 ? ChainFailure.otherHistory(after: 0) : .otherThanToken
        let expected = reason.at(file.path, transaction: max(id, 1))
        #expect(error?.message == expected.message && error?.code == .damaged, "\(id)")
        #expect(error?.transaction == max(id, 1) && error?.path == file.path, "\(id)")
      }
    }
  }

  @Test("A chain without its first logs begins at the last snapshot before its logs.")
  func snapshots() throws {
    try withTemporaryFolder { url in
      let world = try World(url, "snapshots before a chain")
      try world.insertGuest(1)
      try world.insertGuest(2)
      try world.export()
      // The snapshot of transaction 2 is proven by 3, and the one of transaction 4 by 5.
      try world.export { $0.wantsSnapshot = true }
      try world.insertGuest(4)
      try world.export { $0.wantsSnapshot = true }
      func chain() throws -> LogChain {
        try LogChain(world.logs, store: world.source.identifier, lineage: 0)
      }
      let whole = try chain()
      #expect(whole.files.map(\.range) == [1...2, 3...3, 4...4, 5...5])
      #expect(whole.snapshots.map(\.range) == [2...2, 4...4])
      let (first, second) = try (world.point(2), world.point(4))
      func proofs(_ chain: LogChain, _ points: [HistoryPoint]) throws -> [Bool] {
        try zip(chain.snapshots, points).map { try chain.provesSnapshot($0, at: $1) }
      }
      var (other, otherSecond) = (first, second)
      other.digest = SHA256.digest(of: [])
      otherSecond.digest = SHA256.digest(of: [])
      #expect(try whole.origin(after: nil) == whole.beginning)
      #expect(try whole.snapshotPoint(nil) == nil)
      #expect(try whole.snapshots.map { try whole.snapshotPoint($0) } == [first, second])
      #expect(try proofs(whole, [first, second]) == [true, true])
      // A snapshot of another transaction is not proven.
      #expect(try proofs(whole, [second, first]) == [false, false])
      #expect(throws: LogError.self) { try proofs(whole, [other, second]) }
      // One log has all transactions, so the points are inside the log.
      let logs = LogFolder(url.path + "/one log")
      try logs.create()
      try startLogs(of: world.path, in: logs)
      let one = try LogChain(logs, store: world.source.identifier, lineage: 0)
      #expect(one.files.map(\.range) == [1...5])
      for (index, points) in [(0, [first, other]), (1, [second, otherSecond])] {
        for point in points {
          let isProven = try one.provesSnapshot(whole.snapshots[index], at: point)
          #expect(isProven == (point == points[0]))
        }
      }
      func remove(_ file: LogFolder.File) throws {
        try FileManager.default.removeItem(atPath: file.path)
      }
      try remove(whole.files[0])
      let later = try chain()
      #expect(
        try later.origin(after: nil) == first && later.verifiedEnd(after: nil) == world.point(5)
      )
      #expect(try proofs(later, [first, second]) == [true, true])
      #expect(try !later.beginsLineage())
      // The snapshot of the transaction with which the logs begin is not before the logs.
      try remove(whole.files[1])
      let last = try chain()
      #expect(try last.origin(after: nil) == first)
      #expect(try last.provesSnapshot(last.snapshots[1], at: second))
      for file in whole.files[2...] { try remove(file) }
      let none = try chain()
      #expect(try none.origin(after: nil) == second && none.verifiedEnd(after: nil) == second)
      #expect(try proofs(none, [first, second]) == [false, false])
    }
  }

  /// Writes a log of one transaction, with the first change of a world of guests.
  ///
  /// The schema of the log has no guests, so the change is not canonical.
  private func writeLog(
    _ id: Int64,
    _ operation: TransactionOperation,
    details: String? = nil,
    after previous: Digest,
    to destination: LogDestination,
    of world: World,
    partial: String = "",
    isEmpty: Bool = false
  ) throws -> Digest {
    let isMark = operation == .mark || isEmpty
    let transaction = Transaction(
      id: id,
      time: "2026-01-01T12:00:00.000000Z",
      operation: operation,
      schema: SHA256.digest(of: Array(try tripSchema.json().utf8)).description,
      count: isMark ? 0 : 1,
      seed: isMark ? nil : Seed(bytes: [UInt8](repeating: 7, count: Seed.byteCount)),
      details: details
    )
    let header = LogHeader(
      store: world.source.identifier,
      lineage: 0,
      first: id,
      previous: previous,
      schema: tripSchema,
      partial: partial
    )
    return try Pipeline.writeLog(
      of: transaction,
      header: header,
      destination: destination,
      blobs: world.logs.blobs
    ) { body in
      guard !isMark else { return }
      try world.source.read { reader in
        let cursor = try reader.history(after: 0)
        _ = try cursor.nextTransaction()
        if let change = try cursor.nextChange() { try body(change, reader) }
      }
    }.digest
  }

  @Test("Values that are not canonical do not matter where only digests are read.")
  func valuesWithoutForm() throws {
    try withTemporaryFolder { url in
      let world = try World(url, "values without canonical form")
      try world.insertGuest(1)
      let day = LogDestination.day("2026-01-01", world.logs)
      let first = SHA256.digest(of: [1])
      let second = try writeLog(2, .recorded, after: first, to: day, of: world)
      func chain() throws -> LogChain {
        try LogChain(world.logs, store: world.source.identifier, lineage: 0)
      }
      func point(_ id: Int64, _ digest: Digest) -> HistoryPoint {
        HistoryPoint(lineage: 0, transaction: id, digest: digest)
      }
      let one = try chain()
      let error = #expect(throws: LogError.self) { try one.verifiedEnd(after: point(1, first)) }
      #expect(error?.code == .damaged && error?.message.contains("no entity Guest") == true)
      #expect(try one.has(TrustedPosition(transaction: 2, digest: second)))
      let snapshot = try writeLog(1, .snapshot, after: first, to: .snapshot(world.logs), of: world)
      let mark = Mark(.snapshot, transaction: 1, digest: snapshot)
      let third = try writeLog(
        3,
        .mark,
        details: "{\(mark.member)}",
        after: second,
        to: day,
        of: world
      )
      let both = try chain()
      let file = try #require(both.snapshots.first)
      #expect(try both.provesSnapshot(file, at: point(1, first)))
      let tree = try LineageTreeWriter(rebuilding: both, from: both.beginning)
      #expect(tree.last == point(3, third))
    }
  }

  @Test("Only the first log of a lineage, a snapshot or a filtered log contains a whole state.")
  func wholeStates() throws {
    try withTemporaryFolder { url in
      let world = try World(url, "logs with a whole state")
      let store = world.source.identifier
      let beginning = TransactionDigest.beginning(ofStore: store, lineage: 0)
      let words = "without Guest"
      let filtered = world.logs.partial(leavingOut: words)
      func write(
        _ id: Int64,
        after previous: Digest,
        _ to: LogDestination,
        _ partial: String = ""
      )
        throws
      {
        _ = try writeLog(
          id,
          .snapshot,
          after: previous,
          to: to,
          of: world,
          partial: partial,
          isEmpty: true
        )
      }
      let other = SHA256.digest(of: [1])
      try write(1, after: beginning, .day("2026-01-01", world.logs))
      try write(2, after: other, .day("2026-01-01", world.logs))
      try write(3, after: other, .snapshot(world.logs))
      try write(4, after: other, .day("2026-01-01", filtered), words)
      func read(_ chain: LogChain, _ file: LogFolder.File) throws {
        let reader = try chain.open(file, after: nil)
        while try reader.next() != nil {}
        #expect(reader.beginsWithSnapshot)
        try chain.checkEnd(reader, file: file)
      }
      let chain = try LogChain(world.logs, store: store, lineage: 0)
      #expect(chain.files.map(\.range) == [1...1, 2...2])
      try read(chain, chain.files[0])
      try read(chain, try #require(chain.snapshots.first))
      let error = #expect(throws: LogError.self) { try read(chain, chain.files[1]) }
      let expected = ChainFailure.snapshotInside.at(chain.files[1].path, transaction: 2)
      #expect(error?.message == expected.message && error?.code == .damaged)
      #expect(error?.path == chain.files[1].path && error?.transaction == 2)
      let partial = try LogChain(filtered, store: store, lineage: 0)
      try read(partial, try #require(partial.files.first))
    }
  }
}
