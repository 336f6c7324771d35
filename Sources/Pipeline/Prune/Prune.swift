import ChangeLog
import Format
import FoundationEssentials
import Store

package struct PruneRequest: DeletionRequest, Sendable {
  package var store: String
  /// The folder to which the store was exported.
  package var logs: LogFolder
  /// The minimum age of the transactions that are deleted.
  package var keep: Duration
  /// The author of the transaction that records the deletion.
  package var author = Author()
  /// Whether to delete transactions even if the filtered logs do not contain them yet.
  package var ignoresFiltered = false
  /// Whether to delete transactions even if they precede the folder's first log.
  package var ignoresUnlogged = false
  /// Whether to find out what would be deleted, without deleting anything.
  package var isDryRun = false

  package init(store: String, logs: LogFolder, keep: Duration) {
    self.store = store
    self.logs = logs
    self.keep = keep
  }
}

package struct PruneResult: Codable, Hashable, Sendable {
  package var store: String
  /// The last transaction that was verified to be in the logs.
  package var verified: HistoryPoint
  /// The oldest transaction of the history before this run; nil if the history had no transactions.
  package var oldest: Int64?
  /// The last deleted transaction; nil if nothing was deleted.
  package var through: Int64?
  /// The number of deleted transactions.
  package var transactions: Int64 = 0
  /// The transaction that records the deletion; nil if nothing was deleted.
  package var record: Int64?
  /// Descriptions of the filters whose logs need old transactions.
  package var heldBy: [String] = []
  package var bytesBefore: Int64 = 0
  package var bytesAfter: Int64 = 0
}

/// Deletes old transactions from a store's history, if verified logs contain them.
///
/// All logs of the store are verified before anything is deleted. Transactions that the filtered
/// logs do not contain yet are kept, unless the request says otherwise. A new transaction records
/// the deletion before the old transactions are deleted.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
package func prune(_ request: PruneRequest, tick: Tick = { _ in }) throws -> PruneResult {
  var result = try deleteOld(request, tick: tick)
  // The size is measured after the store is closed, because only then SQLite makes the file
  // smaller.
  result.bytesAfter = size(of: request.store)
  return result
}

private func deleteOld(_ request: PruneRequest, tick: Tick) throws -> PruneResult {
  let age = request.keep.components.seconds
  let limit = timeText(Date().addingTimeInterval(-Double(age)))
  try Store.refuseApple(request.store)
  var options = Options(isReadOnly: request.isDryRun)
  options.triesLocksOften = true
  let store = try Store.open(.file(URL(fileURLWithPath: request.store)), options: options)
  let (first, verified) = try verifiedRange(of: store, request: request, tick: tick)
  var result = PruneResult(store: request.store, verified: verified)
  result.bytesBefore = size(of: request.store)
  let last = try store.read { reader -> Int64 in
    try checkIsSame(reader, verified: verified, request: request)
    let range = try reader.historyRange()
    result.oldest = range.oldest
    // The last exported transaction is kept, because the token refers to it.
    guard let oldest = range.oldest, oldest < verified.transaction else { return 0 }
    // The transaction that records an adoption has no changes. The logs need not contain it,
    // because they begin with the state after the adoption.
    let isMarker = try oldest == 1 && first == 2 && reader.adoptedStart() != nil
    guard first <= oldest || isMarker || request.ignoresUnlogged else {
      let missing = oldest...first - 1
      throw PipelineError(.missingLogs) {
        "\(rangeText(missing)) of \(request.store) \(missing.count == 1 ? "is" : "are") in no log"
          + " in \(request.logs.path), because the logs begin later. So no history of the store may"
          + " be deleted."
          + "\nCopy the earlier logs into the folder. If there are no earlier logs, the store has"
          + " the only copy of this history; use --ignore-unlogged to delete this history anyway."
      }
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
      let stamp = Provenance.system.stamp(request.author, 0)
      // If the store is later exported to a new folder, its logs begin with a snapshot of this
      // state. The mark proves that snapshot.
      let mark = try store.readSealed { reader in
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

/// The last transaction that no filtered logs need any more, according to the tokens of the
/// filtered logs.
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
      // These filtered logs need transactions that are already deleted. Keeping later transactions
      // would not help.
      continue
    }
    result.heldBy.append(filtered.words)
    least = min(least, point.transaction - 1)
  }
  return least
}
