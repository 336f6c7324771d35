import ChangeLog
import Changes
import Store

/// Compares each unproven snapshot with the state that a replay of the logs gives.
///
/// A snapshot with which the logs begin can't be compared, because no logs precede it.
func replaySnapshots(
  _ result: inout Verification,
  request: VerifyRequest,
  tick: Tick
) throws {
  guard result.findings.isEmpty, result.after == nil else { return }
  let first = result.from.transaction
  let wanted = result.marked.indices.filter { index in
    let part = result.marked[index]
    return part.mark.kind == .snapshot && !part.isBase && part.mark.transaction > first
      && (part.by == nil || request.replaysSnapshots)
  }
  guard !wanted.isEmpty else { return }
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  for index in wanted {
    let id = result.marked[index].mark.transaction
    func replica(_ name: String, fromSnapshot: Bool) throws -> Store {
      var replay = ImportRequest(logs: request.logs, store: "\(folder.path)/\(name).store")
      (replay.origin, replay.lineage) = (result.store, result.lineage)
      replay.until = .transaction(id)
      (replay.fromSnapshot, replay.trustsSnapshot) = (fromSnapshot, true)
      _ = try importLogs(replay, tick: tick)
      return try readableStore(replay.store)
    }
    // The state for each snapshot is replayed from the state at the previous snapshot.
    let replayed = try replica("replayed", fromSnapshot: false)
    let snapshot = try replica("\(id)", fromSnapshot: true)
    let findings = try replayed.read { replayed in
      try snapshot.read { try differences(of: $0, from: replayed, transaction: id, request) }
    }
    result.findings += findings
    result.marked[index].isReplayed = findings.isEmpty
  }
}

private func differences(
  of snapshot: Reader,
  from replayed: Reader,
  transaction: Int64,
  _ request: VerifyRequest
) throws -> [Finding] {
  var findings: [Finding] = []
  var count = 0
  try replayed.differences(to: snapshot) { difference in
    count += 1
    guard findings.count < 20 else { return }
    findings.append(
      Finding(
        .snapshotDiffers(
          difference.kind,
          object: "\(String(decoding: difference.entity, as: UTF8.self)) \(difference.object)",
          properties: String(decoding: difference.changed, as: UTF8.self)
        ),
        transaction: transaction
      )
    )
  }
  if count > findings.count { findings.append(Finding(.moreRowsDiffer(count - findings.count))) }
  return findings
}
