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
    func state(_ name: String, fromSnapshot: Bool) throws -> Store {
      try replayed(
        request,
        of: result.store,
        lineage: result.lineage,
        to: id,
        fromSnapshot: fromSnapshot,
        in: "\(folder.path)/\(name).store",
        tick: tick
      )
    }
    // The state for each snapshot is replayed from the state at the previous snapshot.
    let before = try state("replayed", fromSnapshot: false)
    let snapshot = try state("\(id)", fromSnapshot: true)
    let findings = try differences(of: snapshot, from: before, in: .snapshot, id)
    result.findings += findings
    result.marked[index].isReplayed = findings.isEmpty
  }
}

/// Replays the logs of a lineage up to a transaction, and returns the replica.
func replayed(
  _ request: VerifyRequest,
  of store: String,
  lineage: Int64,
  to transaction: Int64,
  fromSnapshot: Bool = false,
  in path: String,
  tick: Tick
) throws -> Store {
  var replay = ImportRequest(logs: request.logs, store: path)
  (replay.origin, replay.lineage) = (store, lineage)
  replay.until = .transaction(transaction)
  (replay.fromSnapshot, replay.allowsUnproven) = (fromSnapshot, true)
  _ = try importLogs(replay, tick: tick)
  return try readableStore(path)
}

/// A finding for each of the first objects that differ between a state in the logs and a replay.
func differences(
  of state: Store,
  from replayed: Store,
  in place: Finding.StatePlace,
  _ transaction: Int64
) throws -> [Finding] {
  var findings: [Finding] = []
  var count = 0
  try replayed.read { replayed in
    try state.read { state in
      try replayed.differences(to: state) { difference in
        count += 1
        guard findings.count < 20 else { return }
        findings.append(
          Finding(
            .stateDiffers(
              difference.kind,
              object: "\(String(decoding: difference.entity, as: UTF8.self)) \(difference.object)",
              properties: String(decoding: difference.changed, as: UTF8.self),
              place
            ),
            transaction: transaction
          )
        )
      }
    }
  }
  if count > findings.count { findings.append(Finding(.moreRowsDiffer(count - findings.count))) }
  return findings
}
