import ChangeLog
import Format
import Store

package struct DetachRequest: DeletionRequest, Sendable {
  /// The adopted file.
  package var store: String
  /// The folder to which the file was exported; an empty path if no folder is known.
  package var logs = LogFolder("")
  /// Whether to delete history that no log contains.
  package var discardsHistory = false

  package init(store: String) { self.store = store }
}

/// Removes the triggers and the history from an adopted file, if verified logs contain the history.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``; the file is then unchanged.
package func detach(_ request: DetachRequest, tick: Tick = { _ in }) throws {
  guard !request.discardsHistory else { return try Store.detach(request.store) }
  var logged: ClosedRange<Int64>?
  if !request.logs.path.isEmpty {
    try checkHasLogs(request.logs)
    let store = try readableStore(request.store)
    let (first, end) = try verifiedRange(of: store, request: request, tick: tick)
    try store.read { try checkIsSame($0, verified: end, request: request) }
    if first <= end.transaction { logged = first...end.transaction }
  }
  try Store.detach(request.store, logged: logged) { unlogged in
    let (store, logs) = (request.store, request.logs.path)
    let (transactions, isCaptured) = (unlogged.transactions, unlogged.hasCapturedChanges)
    let recorded = countText(Int(transactions), noun: "transaction") + " in its history"
    let only =
      !isCaptured
      ? recorded
      : (transactions > 0 ? recorded + " and " : "") + "changes that are not in its history yet"
    let folder = logs.isEmpty ? "LOGS" : logs
    return PipelineError(.missingLogs) {
      "\(store) has \(only), and"
        + " \(logs.isEmpty ? "no log folder was named" : "the logs in \(logs) do not have them")."
        + "\nTo keep the history: travelog export \(store) --to \(folder) && travelog adopt"
        + " --detach \(store) --logs \(folder). To delete the history, use --discard-history."
    }
  }
}
