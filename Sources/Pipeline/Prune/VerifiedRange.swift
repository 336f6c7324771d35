import ChangeLog
import Changes
import Store

/// Verifies all logs of the store's lineage, and returns their first transaction and the point at
/// their end.
func verifiedRange(
  of store: Store,
  request: some PipelineRequest,
  tick: Tick
) throws -> (first: Int64, end: HistoryPoint) {
  let chain = try LogChain(request.logs, store: store.identifier, lineage: store.lineage)
  // A snapshot contains the state after its transaction. If a lineage has only a snapshot, the logs
  // of the lineage begin after this transaction.
  let state = chain.files.isEmpty ? try chain.snapshotPoint(chain.snapshots.last) : nil
  guard let first = chain.files.first?.range.lowerBound ?? state.map({ $0.transaction + 1 }) else {
    throw request.error(.isUnlogged)
  }
  var verification = VerifyRequest(logs: request.logs)
  verification.store = store.identifier
  let results = try verify(verification, tick: tick).filter { $0.lineage == store.lineage }
  // A stray file does not prevent a deletion, because it does not change what the logs contain.
  if let finding = results.flatMap(\.findings).first(where: { $0.kind != .misplaced }) {
    throw request.error(.isUnsound(finding))
  }
  let end = state ?? results.first?.to
  return (first, end ?? chain.beginning)
}

/// Throws if the logs belong to another history.
func checkIsSame(
  _ reader: Reader,
  verified: HistoryPoint,
  request: some PipelineRequest
) throws {
  do {
    try reader.check(verified, through: verified.transaction)
  } catch let error as StoreError where error.code == .historyDiverged {
    throw request.error(.isOtherHistory(error))
  }
}
