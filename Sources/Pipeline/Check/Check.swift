import ChangeLog
import Format
import FoundationEssentials
import Store

package struct CheckRequest: Sendable {
  package var store: String
  /// The log folder from which the state before the oldest transaction is read, if older
  /// transactions were deleted from history.
  ///
  /// Without a log folder, the state before the oldest transaction is derived from the rows, which
  /// are assumed to be correct.
  package var logs: LogFolder?
  /// The author of the transaction that records differences between rows and history; nil to record
  /// nothing.
  package var author: Author?

  package init(store: String) { self.store = store }
}

/// Compares a store's rows, history, constraints and catalog.
///
/// If the oldest transactions were deleted from history, the state after the deleted transactions
/// is read from logs.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``, and the errors of the body.
package func check(
  _ request: CheckRequest,
  tick: Tick = { _ in },
  _ body: (CheckFinding) throws -> Void
) throws -> CheckResult {
  let location = Location.file(URL(fileURLWithPath: request.store))
  let unchanged = try readableStore(request.store)
  // The triggers must be checked before the store is opened for writing, because opening restores
  // missing triggers.
  var hasOtherTables = false
  try unchanged.checkStructure { finding in
    if case .structure("table", _, _, _) = finding { hasOtherTables = true }
    try body(finding)
  }
  if let logs = request.logs, !logs.exists { throw missingFolder(logs) }
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  let beginning = try request.logs.flatMap { logs in
    try stateAtBeginning(of: unchanged, logs: logs, folder: folder.path, tick: tick)
  }
  do {
    let store = try request.author == nil ? unchanged : Store.open(location)
    return try store.check(
      recording: request.author,
      since: beginning,
      checksStructure: false,
      body
    )
  } catch let error as StoreError where error.code == .damaged && hasOtherTables {
    // A table that differs from the schema can't be compared with history, so the check ends here.
    var result = CheckResult()
    result.isComplete = false
    return result
  }
}

/// The state with which a store's history begins; nil if history begins with an empty store.
private func stateAtBeginning(
  of store: Store,
  logs: LogFolder,
  folder: String,
  tick: Tick
) throws -> Store? {
  let base = try store.read { try $0.adoptedStart() ?? $0.historyRange().base.transaction }
  guard base > 0 else { return nil }
  var replay = ImportRequest(logs: logs, store: folder + "/beginning.store")
  replay.origin = store.identifier
  replay.lineage = store.lineage
  replay.until = .transaction(base)
  // The state is trusted without a proof. Rows and history are compared with the state, and the
  // comparison would show a forged state.
  replay.allowsUnproven = true
  do {
    _ = try importLogs(replay, tick: tick)
  } catch let error as PipelineError {
    throw error.naming { $0.replacing(replay.store, with: "the state that history begins with") }
  }
  return try readableStore(replay.store)
}
