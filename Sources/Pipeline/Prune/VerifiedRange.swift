import ChangeLog
import Format
import Store

/// A request that deletes history of a store if verified logs have it.
protocol DeletionRequest {
  var store: String { get }
  var logs: LogFolder { get }
}

/// Verifies all logs of the store's lineage, and returns their first transaction and the point at
/// their end.
func verifiedRange(
  of store: Store,
  request: some DeletionRequest,
  tick: Tick
) throws -> (first: Int64, end: HistoryPoint) {
  let chain = try LogChain(request.logs, store: store.identifier, lineage: store.lineage)
  // A snapshot contains the state after its transaction. If a lineage has only a snapshot, the logs
  // of the lineage begin after this transaction.
  let state = chain.files.isEmpty ? try chain.snapshotPoint(chain.snapshots.last) : nil
  guard let first = chain.files.first?.range.lowerBound ?? state.map({ $0.transaction + 1 }) else {
    throw PipelineError(.missingLogs) {
      "There are no logs of \(request.store) in \(request.logs.path), so no history of the store"
        + " may be deleted."
        + "\nRun “travelog export \(request.store) --to \(request.logs.path)” first."
    }
  }
  var verification = VerifyRequest(logs: request.logs)
  verification.store = store.identifier
  let results = try verify(verification, tick: tick).filter { $0.lineage == store.lineage }
  // A stray file does not prevent a deletion, because it does not change what the logs contain.
  if let finding = results.flatMap(\.findings).first(where: { $0.kind != .misplaced }) {
    throw PipelineError(.missingLogs) {
      "The logs in \(request.logs.path) are damaged, so no history of \(request.store) may be"
        + " deleted: \(finding.message)"
        + "\nRun “travelog verify \(request.logs.path)” to see all findings."
    }
  }
  let end = state ?? results.first?.to
  return (first, end ?? chain.beginning)
}

/// Throws if the logs belong to another history.
func checkIsSame(
  _ reader: Reader,
  verified: HistoryPoint,
  request: some DeletionRequest
) throws {
  do {
    try reader.check(verified, through: verified.transaction)
  } catch let error as StoreError where error.code == .historyDiverged {
    throw PipelineError(.historyDiverged) {
      "The logs in \(request.logs.path) do not belong to the history of \(request.store):"
        + " \(error.message)\nName the folder that has this store's logs."
    }
  }
}
