import ChangeLog
import Changes
import Store

/// Compares every row of a store with a replay.
///
/// The logs are replayed into a new store. Then the transactions of the given store that follow the
/// logs are replayed too.
func compare(
  _ result: inout Verification,
  path: String,
  request: VerifyRequest,
  tick: Tick
) throws {
  // Damaged logs can't be replayed, and their damage is already reported.
  guard result.findings.isEmpty else { return }
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  let replica = folder.path + "/replica.store"
  var replay = ImportRequest(logs: request.logs, store: replica)
  replay.origin = result.store
  replay.allowsUnproven = true
  let reached = try importLogs(replay, tick: tick).to
  // Foreign changes are sealed first, because rows and history can only be compared if the history
  // contains all changes.
  try writableStore(path)?.sealForeignChanges()
  let other = try readableStore(path)
  // One SQL transaction reads the store, so the comparison uses one state even if other programs
  // write to the store.
  try other.read { store in
    let head = try store.historyRange().head.transaction
    let rest: Int64
    do {
      rest = try replayRest(
        of: path,
        after: reached,
        through: head,
        into: replica,
        folder: folder.path,
        tick: tick
      )
    } catch let error as PipelineError
      where error.code == .historyDiverged || error.code == .historyExpired
    {
      result.findings.append(Finding(.isOtherHistory(error), path: path))
      return
    }
    try compare(&result, store: store, path: path, replica: replica, logs: request.logs)
    result.unexported = rest
    if result.findings.isEmpty {
      result.prove(result.to, by: .store)
      // Equal rows also prove the snapshot with which the logs begin, because another snapshot
      // would give other rows.
      for index in result.marked.indices where result.marked[index].isBase {
        result.marked[index].isReplayed = true
      }
    }
    if rest > 0, result.end == .none {
      result.notices.append(.isUnexported(path, rest, after: reached.transaction))
    }
    // Only a store without differences confirms that no log is missing after the last log.
    if rest == 0, result.findings.isEmpty { result.end = .store }
  }
}

private func compare(
  _ result: inout Verification,
  store: Reader,
  path: String,
  replica: String,
  logs: LogFolder
) throws {
  let one = try readableStore(replica)
  var findings: [Finding] = []
  var count = 0
  try one.read { replica in
    try replica.differences(to: store) { difference in
      count += 1
      guard findings.count < 20 else { return }
      findings.append(Finding(difference, store: path, logs: logs))
    }
  }
  if count > findings.count {
    findings.append(
      Finding(.moreRowsDiffer(count - findings.count), path: path)
    )
  }
  result.findings += findings
}

/// Replays the transactions of the store that follow the logs, and returns the number of these
/// transactions.
private func replayRest(
  of path: String,
  after point: HistoryPoint,
  through last: Int64,
  into replica: String,
  folder: String,
  tick: Tick
) throws -> Int64 {
  let store = try readableStore(path)
  let logs = LogFolder(folder + "/rest")
  try logs.create()
  let token = folder + "/token.json"
  try writeToken(point, of: store.identifier, to: token)
  var request = ExportRequest(store: path, logs: logs, token: token)
  request.trustsToken = true
  request.until = .transaction(max(last, point.transaction))
  request.level = 1
  let count = try export(request, tick: tick).transactions
  if count > 0 { _ = try importLogs(ImportRequest(logs: logs, store: replica), tick: tick) }
  return count
}

extension Finding {
  /// Creates a finding with the name and id of a row that differs.
  ///
  /// A finding about a row does not contain the values of the row.
  fileprivate init(_ difference: RowDifference, store: String, logs: LogFolder) {
    self.init(
      .rowDiffers(
        difference.kind,
        object: "\(String(decoding: difference.entity, as: UTF8.self)) \(difference.id)",
        properties: String(decoding: difference.changed, as: UTF8.self),
        folder: logs.path
      ),
      path: store
    )
  }
}
