import ChangeLog
import Format
import FoundationEssentials
import Store

package struct RecoverRequest: Sendable {
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
  /// The repair with which this run made the export continue.
  package enum Remedy: String, Hashable, Sendable {
    /// No repair, because the next export would have continued anyway.
    case none
    /// A gap in the logs, because history was deleted before it was exported.
    case gap
    /// A new lineage of logs, because the store was restored from an older copy.
    case lineage
  }

  package var remedy: Remedy
  /// The last transaction of the logs before this run.
  package var from: HistoryPoint
  /// The point after which transactions are exported as usual.
  package var resumes: HistoryPoint
  /// The number of objects in the gap, or in the snapshot with which the new lineage begins.
  package var objects: Int64 = 0
  /// The path of the log with the gap or the snapshot.
  package var file: String?
  package var export: ExportResult
}

/// Resumes the export of a store whose history was deleted too early, or differs from the history
/// in the logs.
///
/// `recover` adds logs, and does not change existing logs.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``. After an error, the next run begins
///   from the start.
package func recover(_ request: RecoverRequest, tick: Tick = { _ in }) throws -> RecoverResult {
  try keepAppleHistory(of: request.store, in: request.logs, acceptingGap: true)
  let url = URL(fileURLWithPath: request.store)
  let store = try Store.open(.file(url))
  try store.sealForeignChanges()
  guard let end = try request.logs.end(of: store.identifier) else {
    let (path, logs) = (request.store, request.logs.path)
    throw PipelineError(.missingLogs) {
      "\(logs) contains no logs of \(path) to continue from."
        + "\nRun “travelog export \(path) --to \(logs)”."
    }
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
  /// The folder for the temporary stores of this run.
  let folder: String

  /// The repair that is necessary before the store's history can continue the logs.
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

  /// Imports the logs, and returns the temporary store with the state at the end of the logs.
  func importedState(_ tick: Tick) throws -> Store {
    var replay = ImportRequest(logs: request.logs, store: folder + "/imported.store")
    replay.origin = chain.store
    replay.allowsUnproven = true
    _ = try importLogs(replay, tick: tick)
    return try readableStore(replay.store)
  }

  func moveToken(to point: HistoryPoint) throws {
    let token = request.token ?? request.logs.token(of: chain.store)
    try writeToken(point, of: chain.store, to: token)
  }
}
