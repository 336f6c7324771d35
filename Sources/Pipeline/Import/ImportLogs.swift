import ChangeLog
import Changes
import FoundationEssentials
import Store

/// Replays logs into a replica, from its last transaction on.
///
/// Each log is verified completely before anything of it is kept. A transaction is applied as a
/// whole; the run after an interrupted one continues.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``; earlier transactions remain
///   applied.
package func importLogs(_ request: ImportRequest, tick: Tick = { _ in }) throws -> ImportResult {
  guard request.logs.exists else {
    throw missingFolder(request.logs)
  }
  var earlier: ImportResult?
  var isMade = false
  do {
    return try readingSettled(request.logs, of: storesRead(request)) {
      try followingOthers(request) {
        let run = try Import(request)
        defer {
          isMade = isMade || run.replica.isMade
          // What a dry run has only read is read again.
          if !request.isDryRun { earlier = run.state.result.added(to: earlier) }
        }
        do {
          return try run.run(tick).added(to: earlier)
        } catch {
          run.replica.takeBackWriteAheadLog()
          throw error
        }
      }
    }
  } catch {
    // If an empty replica can't be removed, it remains, and the next run continues with it.
    if isMade { _ = try? Store.removeUnused(URL(fileURLWithPath: request.store)) }
    throw error
  }
}

/// The stores whose logs are read, if they can be known early.
private func storesRead(_ request: ImportRequest) -> [String]? {
  if let origin = request.origin { return [origin] }
  // Without a replica that can be opened, the logs have the store's identifier.
  return try? head(of: request).map { [$0.store] }
}

/// Tries again if another import has applied the next transactions first.
private func followingOthers(
  _ request: ImportRequest,
  _ body: () throws -> ImportResult
) throws -> ImportResult {
  while true {
    let before = try head(of: request)?.transaction ?? 0
    do {
      return try body()
    } catch let error as StoreError where error.code == .historyGap {
      guard let now = try head(of: request)?.transaction, now > before else { throw error }
    }
  }
}

/// Nil if there is no replica.
package func lastTransaction(of replica: String) throws -> Int64? {
  try head(of: ImportRequest(logs: LogFolder(""), store: replica))?.transaction
}

/// The origin and the last transaction of a replica; nil if it does not exist.
private func head(of request: ImportRequest) throws -> (store: String, transaction: Int64)? {
  guard try !Store.isUnmade(URL(fileURLWithPath: request.store)) else { return nil }
  let replica = try readableStore(request.store)
  return (replica.identifier, try replica.read { try $0.historyRange().head.transaction })
}
