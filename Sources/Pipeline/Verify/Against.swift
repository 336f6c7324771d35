import ChangeLog
import Changes
import FoundationEssentials
import Store

/// Replays the logs into a new store, and then what the store has that is not exported yet, and
/// compares every row with those of the store.
func compare(
  _ result: inout Verification,
  path: String,
  request: VerifyRequest,
  tick: Tick
) throws {
  // What is not sound can't be replayed, and was said.
  guard result.findings.isEmpty else { return }
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  let replica = folder.path + "/replica.store"
  var replay = ImportRequest(logs: request.logs, store: replica)
  replay.origin = result.store
  let reached = try importLogs(replay, tick: tick).to
  // What other programs wrote gets its place in history before it is looked at.
  try writableStore(path)?.sealForeignChanges()
  let other = try readableStore(path)
  // One state of it is compared, whatever others write meanwhile.
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
      // What a replay begins with leads to these rows and no others.
      result.except.removeAll { $0.kind == .base }
    }
    if rest > 0, result.end == .none {
      result.notices.append(.isUnexported(path, rest, after: reached.transaction))
    }
    // A store that is not what the logs give says nothing of their end.
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

/// Replays what the store has after the logs, and tells how many transactions that is.
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
  /// A row that differs, by its name and id, without the values themselves.
  fileprivate init(_ difference: RowDifference, store: String, logs: LogFolder) {
    self.init(
      .rowDiffers(
        difference.kind,
        object: "\(String(decoding: difference.entity, as: UTF8.self)) \(difference.object)",
        properties: String(decoding: difference.changed, as: UTF8.self),
        folder: logs.path
      ),
      path: store
    )
  }
}
