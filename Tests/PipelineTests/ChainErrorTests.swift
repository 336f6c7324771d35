import Changes
import Foundation
import StoreTesting
import TestSupport
import Testing

@testable import ChangeLog
@testable import Pipeline

@Suite("Errors of logs that do not continue each other")
struct ChainErrorTests {
  /// Calls `body` with a world that has three logs, of the transactions 1 and 2, 3 and 4, 5 and 6.
  private func withLogs(_ body: (World, LogChain) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "errors of a chain")
      for id in 1...6 as ClosedRange<Int64> {
        try world.insertGuest(id)
        if id % 2 == 0 { try world.export() }
      }
      try body(world, LogChain(world.logs, store: world.source.identifier, lineage: 0))
    }
  }

  /// Creates empty files with the names of logs and snapshots.
  private func makeNames(
    _ folder: URL,
    logs: [ClosedRange<Int64>] = [],
    snapshots: [Int64] = [],
    lineage: Int64 = 0
  ) throws -> LogFolder {
    var paths = logs.map {
      LogName(store: "S", lineage: lineage, day: "2026-01-01", range: $0).path
    }
    paths += snapshots.map {
      let digits = String(repeating: "0", count: 20 - "\($0)".count) + "\($0)"
      return "store=S/lineage=\(lineage)/snapshots/\(digits).ndjson.gz"
    }
    for path in paths {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data().write(to: file)
    }
    return LogFolder(folder.path)
  }

  private func point(_ id: Int64) -> HistoryPoint {
    HistoryPoint(lineage: 0, transaction: id, digest: SHA256.digest(of: []))
  }

  @Test("The error for a log that does not follow a point names missing or repeated transactions.")
  func gaps() throws {
    try withTemporaryFolder { folder in
      let chain = try LogChain(makeNames(folder), store: "S", lineage: 0)
      for first in 1...6 as ClosedRange<Int64> {
        for last in first...6 {
          for end in 0...7 as ClosedRange<Int64> where first != end + 1 {
            let file = LogFolder.File(path: "log", range: first...last)
            let error = chain.gap(file, point: point(end))
            let expected: ChainFailure =
              first > end
              ? .missing(end + 1...first - 1, after: end) : .repeated(first...min(end, last))
            #expect(error.message == expected.at("log").message, "\(first)...\(last), \(end)")
            #expect(error.code == .gap && error.path == "log")
            #expect(error.transaction == first && error.line == 0)
          }
        }
      }
      let file = LogFolder.File(path: "log", range: 5...6)
      #expect(
        chain.gap(file, point: point(3)).message
          == "The log log does not follow transaction 3: transaction 4 is missing."
      )
      #expect(
        chain.gap(file, point: point(2)).message
          == "The log log does not follow transaction 2: transactions 3 to 4 are missing."
      )
      #expect(
        chain.gap(file, point: point(5)).message
          == "The log log repeats transaction 5 of the previous log."
      )
    }
  }

  @Test("A log with another header than its place requires is refused at line 1.")
  func headers() throws {
    try withLogs { world, chain in
      let file = chain.files[1]
      func error(
        _ chain: LogChain,
        _ file: LogFolder.File,
        _ point: HistoryPoint? = nil
      )
        -> LogError?
      {
        #expect(throws: LogError.self) { _ = try chain.open(file, after: point) }
      }
      func expect(_ error: LogError?, _ reason: ChainFailure, transaction: Int64 = 0) {
        #expect(error?.message == reason.at(file.path).message)
        #expect(error?.code == .damaged && error?.path == file.path)
        #expect(error?.line == 1 && error?.transaction == transaction)
      }
      let header = try chain.open(file, after: nil).header
      #expect(header.first == 3 && file.range == 3...4)
      for (store, lineage) in [("another", 0), (world.source.identifier, 1)] as [(String, Int64)] {
        let other = try LogChain(world.logs, store: store, lineage: lineage)
        expect(error(other, file), .misplaced(header))
      }
      for first in [2, 4] as [Int64] {
        var renamed = file
        renamed.range = first...4
        expect(error(chain, renamed), .wrongFirst(3, named: first))
      }
      var other = try world.point(2)
      other.digest = SHA256.digest(of: [])
      expect(error(chain, file, other), .otherHistory(after: 2), transaction: 3)
      #expect(try chain.open(file, after: world.point(2)).header.first == 3)
    }
  }

  @Test("A filtered log is refused in a whole chain, and accepted in a chain of filtered logs.")
  func filtered() throws {
    try withLogs { world, chain in
      var filter = ExportFilter()
      filter.entities = ["Guest"]
      try world.export { $0.filter = filter }
      let folder = world.logs.partial(leavingOut: filter.words)
      let file = try #require(folder.files(of: world.source.identifier, lineage: 0).first)
      let error = #expect(throws: LogError.self) { _ = try chain.open(file, after: nil) }
      #expect(error?.message == ChainFailure.filtered(filter.words).at(file.path).message)
      #expect(error?.code == .filtered && error?.line == 1 && error?.path == file.path)
      let partial = try LogChain(folder, store: world.source.identifier, lineage: 0)
      #expect(try partial.open(file, after: partial.beginning).header.partial == filter.words)
    }
  }

  @Test("A lineage begins at transaction 0, and a later lineage before its first log.")
  func beginnings() throws {
    for lineage in 0...1 as ClosedRange<Int64> {
      for logs in [[], [1...2], [5...7, 8...9]] as [[ClosedRange<Int64>]] {
        try withTemporaryFolder { folder in
          let names = try makeNames(folder, logs: logs, snapshots: [4], lineage: lineage)
          let chain = try LogChain(names, store: "S", lineage: lineage)
          let before = lineage == 0 ? 0 : (logs.first?.lowerBound ?? 1) - 1
          #expect(
            chain.beginning
              == HistoryPoint(
                lineage: lineage,
                transaction: before,
                digest: TransactionDigest.beginning(ofStore: "S", lineage: lineage)
              )
          )
          if lineage == 0 || logs.isEmpty {
            #expect(try chain.beginsLineage() == (logs == [1...2]))
          }
        }
      }
    }
  }

  @Test("After a position, the logs with later transactions are read, or else the log with it.")
  func filesAfter() throws {
    try withTemporaryFolder { folder in
      let ranges: [ClosedRange<Int64>] = [2...3, 4...4, 5...7]
      let chain = try LogChain(makeNames(folder, logs: ranges), store: "S", lineage: 0)
      func files(_ id: Int64?) -> [ClosedRange<Int64>] {
        let digest = SHA256.digest(of: [])
        return chain.files(after: id.map { TrustedPosition(transaction: $0, digest: digest) })
          .map(\.range)
      }
      #expect(files(nil) == ranges)
      for id in 0...2 as ClosedRange<Int64> { #expect(files(id) == ranges) }
      #expect(files(3) == [4...4, 5...7])
      for id in 4...6 as ClosedRange<Int64> { #expect(files(id) == [5...7]) }
      #expect(files(7) == [5...7] && files(8) == [])
    }
  }

  @Test("A chain has exactly the positions with the digests of its transactions and its beginning.")
  func positions() throws {
    try withLogs { world, chain in
      for id in 0...7 as ClosedRange<Int64> {
        let digest = id <= 6 ? try world.point(id).digest : try world.point(6).digest
        let position = TrustedPosition(transaction: id, digest: digest)
        #expect(try chain.has(position) == (id <= 6), "transaction \(id)")
        let other = TrustedPosition(transaction: id, digest: SHA256.digest(of: []))
        #expect(try !chain.has(other), "transaction \(id)")
      }
    }
  }

  @Test("The end of a folder is the last name of a log or a snapshot in the latest lineage.")
  func end() throws {
    try withTemporaryFolder { folder in
      let empty = try makeNames(folder)
      #expect(try empty.end(of: "S") == nil)
      var logs = try makeNames(folder, logs: [1...2, 3...5])
      #expect(try logs.end(of: "S") ?? (9, 9) == (0, 5))
      logs = try makeNames(folder, snapshots: [4])
      #expect(try logs.end(of: "S") ?? (9, 9) == (0, 5))
      logs = try makeNames(folder, snapshots: [7])
      #expect(try logs.end(of: "S") ?? (9, 9) == (0, 7))
      logs = try makeNames(folder, logs: [3...3], lineage: 2)
      #expect(try logs.end(of: "S") ?? (9, 9) == (2, 3))
    }
  }

  @Test("An import can begin with the newest snapshot that its end and its first log allow.")
  func firstSnapshots() throws {
    try withTemporaryFolder { folder in
      let logs = try makeNames(folder, logs: [6...7], snapshots: [3, 4, 5, 6, 7])
      let chain = try LogChain(logs, store: "S", lineage: 0)
      var request = ImportRequest(logs: logs, store: folder.path + "/replica.store")
      for first in [nil, 4, 5, 6, 7, 8, 9] as [Int64?] {
        for until in 2...8 as ClosedRange<Int64> {
          request.until = .transaction(until)
          let wanted = (3...7 as ClosedRange<Int64>).last { id in
            id <= until && (first.map { id + 1 >= $0 } ?? true)
          }
          let found = try request.snapshot(of: chain, before: first)?.range.lowerBound
          #expect(found == wanted, "before \(first ?? 0), until \(until)")
        }
        request.until = .head
        let newest = try request.snapshot(of: chain, before: first)?.range.lowerBound
        #expect(newest == (first == 9 ? nil : 7))
      }
      request.until = .transaction(4)
      let error = #expect(throws: PipelineError.self) { _ = try request.firstSnapshot(of: chain) }
      #expect(
        error?.message
          == request.error(.hasNoSnapshot(first: 6, until: .transaction(4))).message
      )
      request.until = .head
      #expect(try request.firstSnapshot(of: chain)?.range == 7...7)
    }
  }

  @Test("A chain with no logs and no snapshots has no beginning for a replica.")
  func noTransactions() throws {
    try withTemporaryFolder { folder in
      let logs = try makeNames(folder)
      let chain = try LogChain(logs, store: "S", lineage: 0)
      let request = ImportRequest(logs: logs, store: folder.path + "/replica.store")
      let error = #expect(throws: PipelineError.self) { _ = try request.firstSnapshot(of: chain) }
      #expect(error?.message == request.error(.hasNoTransactions("S")).message)
      let whole = try makeNames(folder, logs: [1...2])
      let beginning = try LogChain(whole, store: "S", lineage: 0)
      #expect(try request.firstSnapshot(of: beginning) == nil)
      var fromSnapshot = request
      fromSnapshot.fromSnapshot = true
      #expect(try fromSnapshot.firstSnapshot(of: beginning) == nil)
    }
  }

  @Test("The sum of two readings of an import begins at the first and counts both.")
  func sums() {
    func result(from: Int64, to: Int64, isNew: Bool) -> ImportResult {
      ImportResult(store: "s", identifier: "S", from: point(from), to: point(to), isNew: isNew)
    }
    let empty = result(from: 0, to: 0, isNew: false)
    #expect(empty.transactions == 0 && empty.changes == 0 && empty.snapshotObjects == 0)
    #expect(empty.files == 0 && empty.danglingLinks == 0)
    #expect(!ImportResult(store: "", identifier: "", from: point(0), to: point(0)).isNew)
    var (first, second) = (
      result(from: 1, to: 3, isNew: true), result(from: 3, to: 9, isNew: false)
    )
    (first.transactions, first.changes, first.snapshotObjects, first.files) = (2, 30, 400, 5_000)
    (second.transactions, second.changes, second.snapshotObjects, second.files) = (
      1, 10, 100, 1_000
    )
    second.danglingLinks = 7
    var sum = second
    (sum.transactions, sum.changes, sum.snapshotObjects, sum.files) = (3, 40, 500, 6_000)
    sum.isNew = true
    sum.from = point(1)
    #expect(second.added(to: first) == sum)
    #expect(second.added(to: nil) == second)
    // A reading that applied nothing has no beginning of its own.
    first.to = first.from
    sum.from = point(3)
    #expect(second.added(to: first) == sum)
    first.isNew = false
    #expect(!second.added(to: first).isNew)
    second.isNew = true
    #expect(second.added(to: first).isNew)
  }
}
