import ChangeLog
import Format
import FoundationEssentials
import Store

/// Replays logs into a replica, after its last transaction.
///
/// Each log is verified completely before any of its transactions is committed. A transaction is
/// applied completely or not at all. If an import is interrupted, the next run continues it.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``. Transactions that were applied
///   before the error remain applied.
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
          // A dry run applies nothing, so a repeated reading counts all logs again. Earlier counts
          // must not be added.
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
  } catch let error as StoreError where error.code == .notAStore {
    // The usual advice is to adopt the file, but a replica needs a file of its own.
    throw StoreError(.notAStore, at: error.path) {
      "\(error.message)\nName a file that does not exist yet; import creates the replica in it."
    }
  } catch {
    // If the empty replica can't be removed, the next run uses it.
    if isMade { _ = try? Store.removeUnused(URL(fileURLWithPath: request.store)) }
    throw error
  }
}

/// The identifiers of the stores whose logs the import reads; nil for all stores.
private func storesRead(_ request: ImportRequest) -> [String]? {
  if let origin = request.origin { return [origin] }
  // If the replica does not exist or can't be read, its origin is known only from the logs.
  return try? head(of: request).map { [$0.store] }
}

/// Runs the import again if another import has applied the next transactions at the same time.
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

/// The last transaction of a replica; nil if the replica does not exist.
package func lastTransaction(of replica: String) throws -> Int64? {
  try head(of: ImportRequest(logs: LogFolder(""), store: replica))?.transaction
}

/// The origin of a replica; nil if the replica does not exist.
func origin(ofReplica path: String) throws -> String? {
  try head(of: ImportRequest(logs: LogFolder(""), store: path))?.store
}

/// The origin and the last transaction of a replica; nil if the replica does not exist.
private func head(of request: ImportRequest) throws -> (store: String, transaction: Int64)? {
  guard try !Store.isUnmade(URL(fileURLWithPath: request.store)) else { return nil }
  let replica = try readableStore(request.store)
  return (replica.identifier, try replica.read { try $0.historyRange().head.transaction })
}
