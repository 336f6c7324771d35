import ChangeLog
import Changes
import FoundationEssentials
import Store

/// Which store's export is to go on again, after its history and its logs came apart.
package struct RecoverRequest: PipelineRequest, Sendable {
  /// The store's file.
  package var store: String
  /// The folder of logs.
  package var logs: LogFolder
  /// Where the token is kept; nil for its place beside the logs.
  package var token: String?

  /// Makes a request.
  package init(store: String, logs: LogFolder) {
    self.store = store
    self.logs = logs
  }
}

/// How an export was made to go on.
package struct RecoverResult: Hashable, Sendable {
  /// What was in the way.
  package enum Remedy: String, Hashable, Sendable {
    /// Nothing: the next export would have gone on by itself.
    case none
    /// History that was deleted before it was exported: what objects differ in stands for it.
    case gap
    /// The store was restored from an older copy: a new lineage goes on from there.
    case lineage
  }

  /// What was in the way.
  package var remedy: Remedy
  /// The last transaction of the logs before.
  package var from: HistoryPoint
  /// The point from which history is exported as it was recorded.
  package var resumes: HistoryPoint
  /// The number of objects that the gap says something of, or that the new lineage begins with.
  package var objects: Int64 = 0
  /// The log that was written.
  package var file: String?
  /// The export that followed.
  package var export: ExportResult
}

/// Makes the export of a store go on where its history was deleted too early, or is another one than
/// that of the logs.
///
/// What is written stands beside the logs that are there; none of them is changed.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``; the next run begins anew.
package func recover(_ request: RecoverRequest, tick: Tick = { _ in }) throws -> RecoverResult {
  let url = URL(fileURLWithPath: request.store)
  let store = try Store.open(.file(url))
  try store.sealForeignChanges()
  guard let end = try request.logs.end(of: store.identifier) else {
    throw request.error(.hasNothingToContinue)
  }
  let chain = try LogChain(request.logs, store: store.identifier, lineage: end.lineage)
  let last = try chain.verifiedEnd(after: nil)
  var result = RecoverResult(
    remedy: .none,
    from: last,
    resumes: last,
    export: ExportResult(
      store: request.store,
      identifier: store.identifier,
      from: last,
      to: last,
      head: last.transaction
    )
  )
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  switch try remedy(of: store, after: last) {
  case .none: break
  case .gap:
    try GapWriter(request: request, store: store, chain: chain, folder: folder.path)
      .write(after: last, result: &result, tick: tick)
  case .lineage:
    try LineageWriter(request: request, store: store, chain: chain, folder: folder.path)
      .write(after: last, result: &result, tick: tick)
  }
  let export = ExportRequest(store: request.store, logs: request.logs, token: request.token)
  result.export = try Pipeline.export(export, tick: tick)
  return result
}

/// What the logs need after their last point, so that the store's history continues them.
private func remedy(of store: Store, after last: HistoryPoint) throws -> RecoverResult.Remedy {
  try store.read { reader in
    do {
      try reader.check(last)
    } catch let error as StoreError where error.code == .historyExpired {
      return .gap
    } catch let error as StoreError where error.code == .historyDiverged {
      return .lineage
    }
    return .none
  }
}

/// A copy of a store as it was after an earlier transaction.
///
/// - Returns: The copy, and the transaction; that is the head where the way back is barred by a
///   change of the schema or by erased values.
func rewoundCopy(
  of store: Store,
  to transaction: Int64,
  in folder: String
) throws -> (store: Store, transaction: Int64) {
  let url = URL(fileURLWithPath: folder + "/rewound.store")
  try store.copy(to: url)
  var reached = transaction
  do {
    try Store.rewind(url, to: transaction)
  } catch let error as StoreError where error.code == .irreversible {
    reached = try store.read { try $0.sealedHead() }
  }
  return (try readableStore(url.path), reached)
}
