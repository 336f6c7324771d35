import ChangeLog
import Changes
import Store

/// One run of an import.
final class Import {
  /// Logs up to this size are read once.
  ///
  /// What is applied of one is committed when its end was verified. Larger ones would make the
  /// write-ahead log too large, and are read twice.
  private static let readOnce: Int64 = 64 << 20
  /// Logs up to this size are read once if they are written without a write-ahead log.
  ///
  /// After an interruption, more would be lost than another reading costs.
  private static let readOnceDirectly: Int64 = 512 << 20
  /// Logs from this size on are written into a new replica, which nobody reads yet, without a
  /// write-ahead log.
  ///
  /// It costs two more syncs a log, and saves a sixth of the time where there is much to write.
  private static let writtenDirectly: Int64 = 1 << 20
  /// What stops a second reading as it stopped the first.
  private static let lasting: Set<StoreError.Code> = [
    .diskFull, .inputOutput, .locked, .outOfMemory, .readOnly,
  ]

  let replica: Replica
  /// What was done so far.
  private(set) var result: ImportResult
  private let request: ImportRequest
  private var progress = Progress()

  init(_ request: ImportRequest) throws {
    self.request = request
    replica = try Replica(request)
    result = ImportResult(
      store: request.store,
      identifier: replica.identifier,
      from: replica.head,
      to: replica.head,
      isNew: replica.isNew
    )
  }

  func run(_ tick: Tick) throws -> ImportResult {
    try checkIsWhole()
    try replica.checkIsNotPast(request.until)
    let chain = try request.chain(for: replica)
    result.isNew = replica.isNew
    if replica.isEmpty {
      let start = try begin(chain, tick)
      result.from = start
      result.to = start
    }
    progress.total = total(chain)
    var gap: ClosedRange<Int64>?
    for file in chain.files where file.range.upperBound > result.to.transaction {
      if case .transaction(let id) = request.until, file.range.lowerBound > id { break }
      let size = size(of: file.path)
      let log = LogReplay(
        replica: replica,
        chain: chain,
        file: file,
        isDirect: result.isNew && size >= Self.writtenDirectly
      )
      if try mayBeReadOnce(log, size) {
        do {
          try log.replayAtOnce(&result, &progress, tick)
          result.files += 1
          continue
        } catch let error as StoreError where !Self.lasting.contains(error.code) {
          // What is wrong with the log itself is to be said first, and what comes before a change
          // that does not fit is to be applied: reading it twice does both.
        }
      }
      let wanted = try WantedTransactions(request, log, after: result.to, &progress, tick)
      gap = gap ?? wanted.gap
      let last = wanted.end.transaction
      guard last > result.to.transaction else { break }
      if request.isDryRun {
        result.add(wanted)
      } else {
        try log.replay(wanted, &result, &progress, tick)
      }
      result.files += 1
      if last < file.range.upperBound { break }
    }
    try checkEnd(chain, gap)
    result.danglingLinks = try replica.finish()
    return result
  }

  private func checkIsWhole() throws {
    guard try request.logs.lineages(of: replica.identifier).isEmpty,
      let name = try request.logs.partials(of: replica.identifier).first
    else { return }
    throw LogError(
      .partial,
      "The logs of the store \(replica.identifier) in \(request.logs.path) have something left out,"
        + " so that they can't be replayed. Bring the whole ones.",
      path: request.logs.partial(named: name).storeFolder(replica.identifier)
    )
  }

  /// The point that an empty replica begins with: that of a snapshot, or the beginning of the logs.
  private func begin(_ chain: LogChain, _ tick: Tick) throws -> HistoryPoint {
    guard let file = try request.firstSnapshot(of: chain),
      let point = try chain.snapshotPoint(file)
    else { return chain.beginning }
    let reader = try chain.open(file, after: nil)
    result.snapshotObjects =
      try request.isDryRun
      ? reader.next()?.count ?? 0
      : replica.replaySnapshot(reader, point, isDirect: false, progress, tick)
    return point
  }

  /// How many transactions are to be replayed, by the names of the logs; nil for up to a time.
  private func total(_ chain: LogChain) -> Int64? {
    let last = chain.files.last?.range.upperBound ?? 0
    return switch request.until {
    case .head: max(0, last - result.to.transaction)
    case .transaction(let id): max(0, min(id, last) - result.to.transaction)
    case .time: nil
    }
  }

  /// Whether a log is small, wanted whole, and begins with nothing but transactions.
  private func mayBeReadOnce(_ log: LogReplay, _ size: Int64) throws -> Bool {
    guard request.until == .head, !request.isDryRun,
      log.chain.lineage == 0 || result.to != log.chain.beginning
    else { return false }
    return try size <= Self.readOnce
      || size <= Self.readOnceDirectly && log.isDirect
        && replica.writesDirectly { try log.chain.open(log.file, after: nil).header.schema }
  }

  /// Fails if the logs do not reach the requested end.
  private func checkEnd(_ chain: LogChain, _ gap: ClosedRange<Int64>?) throws {
    if case .transaction(let id) = request.until, id > result.to.transaction {
      if let gap { throw request.error(.isInGap(id, gap)) }
      throw request.error(.logsEndBefore(id, end: result.to.transaction))
    }
    if replica.isEmpty, request.until != .head, result.to == chain.beginning,
      request.until != .transaction(0)
    {
      throw request.error(.logsBeginAfter(request.until))
    }
  }
}
