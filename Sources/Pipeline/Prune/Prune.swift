import ChangeLog
import Changes
import FoundationEssentials
import Store

/// What is to be deleted from a store's history.
package struct PruneRequest: PipelineRequest, Sendable {
  /// The store's file.
  package var store: String
  /// The folder that the store's history was exported to.
  package var logs: LogFolder
  /// How old a transaction is at least that goes.
  package var keep: Duration
  /// Who does it, as history will say.
  package var author = Author()
  /// True to delete also what partial logs have not got yet.
  package var ignoresPartial = false
  /// True to delete also what is older than the first log of the folder.
  package var ignoresUnlogged = false
  /// True to find out what would be done, and to do nothing.
  package var isDryRun = false

  /// Makes a request.
  package init(store: String, logs: LogFolder, keep: Duration) {
    self.store = store
    self.logs = logs
    self.keep = keep
  }
}

/// What was deleted from a store's history.
package struct PruneResult: Codable, Hashable, Sendable {
  /// The store's file.
  package var store: String
  /// The last transaction that the logs were verified to have.
  package var verified: HistoryPoint
  /// The oldest transaction that was there before; nil for none.
  package var oldest: Int64?
  /// The last transaction that was deleted; nil if none was.
  package var through: Int64?
  /// The number of transactions that were deleted.
  package var transactions: Int64 = 0
  /// The transaction that records it; nil if nothing was deleted.
  package var record: Int64?
  /// The partial logs for which transactions were kept that would have gone: what was left out of
  /// them, in words.
  package var heldBy: [String] = []
  /// The size of the store's file before.
  package var bytesBefore: Int64 = 0
  /// The size of the store's file after.
  package var bytesAfter: Int64 = 0
}

/// Deletes old transactions from a store's history, but only what is in verified logs.
///
/// All logs of the store are read again before anything is deleted. What partial logs have not got
/// yet stays, unless the request says otherwise. That it was done is recorded as
/// a transaction of its own, before it is done.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
package func prune(_ request: PruneRequest, tick: Tick = { _ in }) throws -> PruneResult {
  var result = try deleteOld(request, tick: tick)
  // The file gets smaller when the store is closed.
  result.bytesAfter = size(of: request.store)
  return result
}

private func deleteOld(_ request: PruneRequest, tick: Tick) throws -> PruneResult {
  let age = request.keep.components.seconds
  let limit = timeText(Date().addingTimeInterval(-Double(age)))
  let store = try Store.open(
    .file(URL(fileURLWithPath: request.store)),
    options: Options(isReadOnly: request.isDryRun)
  )
  let (first, verified) = try verifiedRange(of: store, request: request, tick: tick)
  var result = PruneResult(store: request.store, verified: verified)
  result.bytesBefore = size(of: request.store)
  let last = try store.read { reader -> Int64 in
    try checkIsSame(reader, verified: verified, request: request)
    let range = try reader.historyRange()
    result.oldest = range.oldest
    // The last one that was exported stays, because the token stands at it.
    guard let oldest = range.oldest, oldest < verified.transaction else { return 0 }
    guard first <= oldest || request.ignoresUnlogged else {
      throw request.error(.areUnlogged(oldest...first - 1))
    }
    let last = try reader.lastTransaction(
      beforeTime: limit,
      orAt: false,
      from: oldest - 1,
      through: verified.transaction - 1
    )
    return try min(
      last,
      lastForPartial(of: store, reader: reader, request: request, last: last, result: &result)
    )
  }
  if let oldest = result.oldest, last >= oldest {
    result.through = last
    result.transactions = last - oldest + 1
    if !request.isDryRun {
      result.record = try store.mark(
        .prune,
        author: request.author,
        details: #"{"first":\#(oldest),"last":\#(last)}"#
      )
      result.transactions = try store.deleteHistory([oldest...last])
    }
  }
  return result
}

/// Reads all logs of the store's lineage, and returns the first of their transactions, and where they
/// end.
private func verifiedRange(
  of store: Store,
  request: PruneRequest,
  tick: Tick
) throws -> (first: Int64, end: HistoryPoint) {
  let chain = try LogChain(request.logs, store: store.identifier, lineage: store.lineage)
  // A snapshot has the state after its transaction.
  let state = chain.files.isEmpty ? try chain.snapshotPoint(chain.snapshots.last) : nil
  guard let first = chain.files.first?.range.lowerBound ?? state.map({ $0.transaction + 1 }) else {
    throw request.error(.isUnlogged)
  }
  var verification = VerifyRequest(logs: request.logs)
  verification.store = store.identifier
  // A dry run leaves nothing behind.
  verification.isRecorded = !request.isDryRun
  let results = try verify(verification, tick: tick).filter { $0.lineage == store.lineage }
  if let finding = results.flatMap(\.findings).first {
    throw request.error(.isUnsound(finding))
  }
  let end = state ?? results.first?.to
  return (first, end ?? chain.beginning)
}

/// The last transaction that no partial log needs any more, which goes on after its token.
private func lastForPartial(
  of store: Store,
  reader: Reader,
  request: PruneRequest,
  last: Int64,
  result: inout PruneResult
) throws -> Int64 {
  guard !request.ignoresPartial else { return last }
  var least = last
  for partial in try PartialLogs.all(of: store.identifier, in: request.logs) {
    guard let point = try partial.exported(of: store.identifier), point.lineage == store.lineage,
      point.transaction <= last
    else { continue }
    do {
      try reader.check(point)
    } catch let error as StoreError
      where error.code == .historyExpired || error.code == .historyDiverged
    {
      // What it would go on with is gone, so that nothing is kept for it.
      continue
    }
    result.heldBy.append(partial.words)
    least = min(least, point.transaction - 1)
  }
  return least
}

/// Makes sure that the logs are those of the history that is in the store.
private func checkIsSame(
  _ reader: Reader,
  verified: HistoryPoint,
  request: PruneRequest
) throws {
  do {
    try reader.check(verified, through: verified.transaction)
  } catch let error as StoreError where error.code == .historyDiverged {
    throw request.error(.isOtherHistory(error))
  }
}
