import Format
import Foundation
import PipelineTesting
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
}
