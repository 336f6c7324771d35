import ChangeLog
import Format

/// The transactions of a log that are wanted and that the replica does not have yet.
struct WantedTransactions {
  private(set) var end: HistoryPoint
  private(set) var transactions: Int64 = 0
  private(set) var changes: Int64 = 0
  private(set) var snapshotObjects: Int64 = 0
  /// The point of the snapshot with which a later lineage begins; nil unless the log begins with
  /// this snapshot.
  private(set) var lineageStart: HistoryPoint?
  /// The gap that contains the requested end of the import.
  private(set) var gap: ClosedRange<Int64>?

  /// Reads a whole log.
  ///
  /// The replica may already have the first transactions of the log.
  init(
    _ request: ImportRequest,
    log: LogReplay,
    state: inout ImportState,
    tick: Tick
  ) throws {
    let point = state.result.to
    end = point
    let chain = log.chain
    let reader = try log.open(after: point)
    var isWanted = true
    while let transaction = try reader.next() {
      try log.replica.checkDivergence(transaction, from: point, log: log.file.path)
      if transaction.operation == .snapshot, chain.lineage > 0, point == chain.beginning,
        transaction.id == point.transaction + 1
      {
        lineageStart = transaction.point(inLineage: chain.lineage)
      }
      switch request.until {
      case .head: break
      case .transaction(let id): isWanted = isWanted && transaction.id <= id
      case .time(let time): isWanted = isWanted && transaction.time <= time
      }
      if isWanted {
        add(transaction, inLineage: chain.lineage)
      } else if case .transaction(let id) = request.until, gap == nil, transaction.id > id,
        let first = transaction.gap?.first, first <= id
      {
        gap = first...transaction.id
      }
      if request.isDryRun, isWanted, transaction.id > point.transaction {
        state.progress.transactions += 1
      }
      try tick(state.progress)
    }
    try chain.checkEnd(reader, file: log.file)
  }

  private mutating func add(_ transaction: Transaction, inLineage lineage: Int64) {
    guard transaction.id > end.transaction, let point = transaction.point(inLineage: lineage)
    else { return }
    end = point
    if end.transaction == lineageStart?.transaction {
      snapshotObjects += transaction.count
    } else {
      transactions += 1
      changes += transaction.count
    }
  }
}

extension ImportResult {
  /// Adds the counts of wanted transactions, as if these transactions had been replayed.
  mutating func add(_ wanted: WantedTransactions) {
    to = wanted.end
    transactions += wanted.transactions
    changes += wanted.changes
    snapshotObjects += wanted.snapshotObjects
  }
}
