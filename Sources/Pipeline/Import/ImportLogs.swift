import ChangeLog
import Changes
import FoundationEssentials
import Store

/// Replays logs into a replica, from where it stands.
///
/// Each log is verified from its first byte to its last before anything of it is kept. A
/// transaction of the source is applied whole or not at all; whatever stops the program, the next
/// run goes on.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``; what was applied until then stays.
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
    // An empty replica that can't be taken away stays: the next run goes on with it.
    if isMade { _ = try? Store.removeUnused(URL(fileURLWithPath: request.store)) }
    throw error
  }
}

/// The stores whose logs are read, as far as that can be told at once.
private func storesRead(_ request: ImportRequest) -> [String]? {
  if let origin = request.origin { return [origin] }
  // Where there is no replica, or none that can be opened, the logs say whose they are.
  return try? head(of: request).map { [$0.store] }
}

/// Calls again where another import was quicker with the transactions that come next.
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

/// The last transaction that a replica has; nil if there is no replica.
package func lastTransaction(of replica: String) throws -> Int64? {
  try head(of: ImportRequest(logs: LogFolder(""), store: replica))?.transaction
}

/// The store that a replica is of, and its last transaction; nil if it is not made yet.
private func head(of request: ImportRequest) throws -> (store: String, transaction: Int64)? {
  guard try !Store.isUnmade(URL(fileURLWithPath: request.store)) else { return nil }
  let replica = try readableStore(request.store)
  return (replica.identifier, try replica.read { try $0.historyRange().head.transaction })
}
