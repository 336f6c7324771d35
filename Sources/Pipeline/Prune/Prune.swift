import ChangeLog
import Changes
import FoundationEssentials
import Store

package struct PruneRequest: PipelineRequest, Sendable {
  package var store: String
  /// The folder to which the store was exported.
  package var logs: LogFolder
  /// The age from which transactions are deleted.
  package var keep: Duration
  /// The author of the transaction that records the deletion.
  package var author = Author()
  /// Whether to delete transactions even if filtered logs do not contain them yet.
  package var ignoresFiltered = false
  /// Whether to delete transactions even if they are older than the folder's first log.
  package var ignoresUnlogged = false
  /// Whether to find out what would be deleted, without deleting.
  package var isDryRun = false

  package init(store: String, logs: LogFolder, keep: Duration) {
    self.store = store
    self.logs = logs
    self.keep = keep
  }
}

package struct PruneResult: Codable, Hashable, Sendable {
  package var store: String
  /// The last transaction that is verified to be in the logs.
  package var verified: HistoryPoint
  /// The oldest transaction before this run; nil if there was none.
  package var oldest: Int64?
  /// The last deleted transaction; nil if there is none.
  package var through: Int64?
  /// The number of deleted transactions.
  package var transactions: Int64 = 0
  /// The transaction that records the deletion; nil if nothing was deleted.
  package var record: Int64?
  /// The filters whose logs still need old transactions, each in words.
  package var heldBy: [String] = []
  package var bytesBefore: Int64 = 0
  package var bytesAfter: Int64 = 0
}

/// Deletes old transactions from a store's history that are in verified logs.
///
/// All logs of the store are verified before anything is deleted. Transactions that filtered logs
/// do not contain yet are kept, unless the request says otherwise. A new transaction records the
/// deletion before the old transactions are deleted.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
package func prune(_ request: PruneRequest, tick: Tick = { _ in }) throws -> PruneResult {
  var result = try deleteOld(request, tick: tick)
  // The file becomes smaller when the store is closed.
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
    // The last exported transaction is kept, because the token names it.
    guard let oldest = range.oldest, oldest < verified.transaction else { return 0 }
    // The marker of an adoption has no changes, and the logs begin with the state after it.
    let isMarker = try oldest == 1 && first == 2 && reader.adoptedStart() != nil
    guard first <= oldest || isMarker || request.ignoresUnlogged else {
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
      lastForFiltered(of: store, reader: reader, request: request, last: last, result: &result)
    )
  }
  if let oldest = result.oldest, last >= oldest {
    result.through = last
    result.transactions = last - oldest + 1
    if !request.isDryRun {
      try store.sealForeignChanges()
      let stamp = Provenance.system.stamp(request.author, 0)
      // A new log folder begins with this state.
      let mark = try store.read { reader in
        let point = try reader.historyRange().head
        return try SnapshotLog(of: store, reader: reader, at: point, stamp: stamp).mark()
      }
      result.record = try store.mark(
        .prune,
        author: request.author,
        details: #"{"first":\#(oldest),"last":\#(last),\#(mark.member)}"#,
        stamp: stamp
      )
      result.transactions = try store.deleteHistory([oldest...last])
    }
  }
  return result
}

/// Reads all logs of the store's lineage, and returns their first transaction and their end.
private func verifiedRange(
  of store: Store,
  request: PruneRequest,
  tick: Tick
) throws -> (first: Int64, end: HistoryPoint) {
  let chain = try LogChain(request.logs, store: store.identifier, lineage: store.lineage)
  // A snapshot contains the state after its transaction, so the logs begin there.
  let state = chain.files.isEmpty ? try chain.snapshotPoint(chain.snapshots.last) : nil
  guard let first = chain.files.first?.range.lowerBound ?? state.map({ $0.transaction + 1 }) else {
    throw request.error(.isUnlogged)
  }
  var verification = VerifyRequest(logs: request.logs)
  verification.store = store.identifier
  verification.isRecorded = !request.isDryRun
  let results = try verify(verification, tick: tick).filter { $0.lineage == store.lineage }
  // A stray file does not affect what the logs contain.
  if let finding = results.flatMap(\.findings).first(where: { $0.kind != .misplaced }) {
    throw request.error(.isUnsound(finding))
  }
  let end = state ?? results.first?.to
  return (first, end ?? chain.beginning)
}

/// The last transaction that no filtered log needs any more, according to its token.
private func lastForFiltered(
  of store: Store,
  reader: Reader,
  request: PruneRequest,
  last: Int64,
  result: inout PruneResult
) throws -> Int64 {
  guard !request.ignoresFiltered else { return last }
  var least = last
  for filtered in try FilteredLogs.all(of: store.identifier, in: request.logs) {
    guard let point = try filtered.exported(of: store.identifier), point.lineage == store.lineage,
      point.transaction <= last
    else { continue }
    do {
      try reader.check(point)
    } catch let error as StoreError
      where error.code == .historyExpired || error.code == .historyDiverged
    {
      // Transactions that these filtered logs need are deleted already, so keeping others would not
      // help.
      continue
    }
    result.heldBy.append(filtered.words)
    least = min(least, point.transaction - 1)
  }
  return least
}

/// Throws if the logs belong to another history.
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
