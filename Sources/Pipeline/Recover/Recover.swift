import ChangeLog
import Changes
import FoundationEssentials
import Store

package struct RecoverRequest: PipelineRequest, Sendable {
  package var store: String
  package var logs: LogFolder
  /// The path of the token; nil for the token beside the logs.
  package var token: String?

  package init(store: String, logs: LogFolder) {
    self.store = store
    self.logs = logs
  }
}

package struct RecoverResult: Hashable, Sendable {
  /// The reason why the export could not continue, which this run has repaired.
  package enum Remedy: String, Hashable, Sendable {
    /// Nothing: the next export would have continued.
    case none
    /// A gap, because history was deleted before it was exported.
    case gap
    /// A new lineage, because the store was restored from an older copy.
    case lineage
  }

  package var remedy: Remedy
  /// The last transaction of the logs before this run.
  package var from: HistoryPoint
  /// The point after which history was exported normally again.
  package var resumes: HistoryPoint
  /// The number of objects in the gap, or in the state with which the new lineage begins.
  package var objects: Int64 = 0
  /// The log that was written.
  package var file: String?
  /// The export that followed.
  package var export: ExportResult
}

/// Resumes the export of a store whose history was deleted too early, or differs from the history
/// in the logs.
///
/// Recovering adds logs, and does not change existing logs.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``; the next run starts again.
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
  let recovery = Recovery(request: request, store: store, chain: chain, folder: folder.path)
  let remedy = try recovery.remedy(after: last)
  // The state at the end of deleted history is not known without its changes.
  if remedy == .gap { try store.refuseIfAdopted(.filling) }
  switch remedy {
  case .none: break
  case .gap: try recovery.writeGap(after: last, result: &result, tick: tick)
  case .lineage: try recovery.beginLineage(after: last, result: &result, tick: tick)
  }
  let export = ExportRequest(store: request.store, logs: request.logs, token: request.token)
  result.export = try Pipeline.export(export, tick: tick)
  return result
}

/// One run of `recover` for one store.
struct Recovery {
  let request: RecoverRequest
  let store: Store
  let chain: LogChain
  /// The folder for temporary stores.
  let folder: String

  /// The repair after which the store's history continues the logs.
  fileprivate func remedy(after last: HistoryPoint) throws -> RecoverResult.Remedy {
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

  /// A store with the state at the end of the logs.
  func importedState(_ tick: Tick) throws -> Store {
    var replay = ImportRequest(logs: request.logs, store: folder + "/imported.store")
    replay.origin = chain.store
    replay.trustsSnapshot = true
    _ = try importLogs(replay, tick: tick)
    return try readableStore(replay.store)
  }

  func moveToken(to point: HistoryPoint) throws {
    let token = request.token ?? request.logs.token(of: chain.store)
    try writeToken(point, of: chain.store, to: token)
  }
}

extension Reader {
  /// The transaction after which history is complete.
  func wholeBase() throws -> Int64 {
    try max(historyRange().base.transaction, lastDeletedTransaction() ?? 0)
  }
}
