import ChangeLog
import Format
import Store

/// Answers the questions of a judgement about one store, by reading and replaying its logs.
final class Investigation {
  /// The maximum number of differences that are listed.
  private static let mostDifferences = 20

  private let request: VerifyRequest
  private let store: String
  /// The replicas, one of which can continue another; nil until the first one is needed.
  private var temporary: TemporaryFolder?

  init(_ request: VerifyRequest, store: String) {
    self.request = request
    self.store = store
  }

  func answer(_ question: Question, tick: Tick) throws -> Answer {
    switch question {
    case .start(let lineage, let parent, let first):
      return try compareStart(of: lineage, parent: parent, after: first, tick)
    case .digest(let lineage, let id):
      return Answer(digest: try digest(ofTransaction: id, lineage: lineage))
    case .rows(let path): return try compareRows(with: path, tick)
    case .snapshot(let lineage, let id):
      // The state for each snapshot is replayed from the state at the previous snapshot.
      let before = try replay("replayed \(lineage)", lineage: lineage, to: id, tick)
      let snapshot = try replay(
        "\(lineage)-\(id)",
        lineage: lineage,
        to: id,
        fromSnapshot: true,
        tick
      )
      return try differences(of: snapshot, from: before, in: .snapshot, after: id)
    }
  }

  private func digest(ofTransaction id: Int64, lineage: Int64) throws -> Digest? {
    let history = try FolderHistory(request.logs, store: store, lineage: lineage)
    var digest: Digest?
    try history.read(
      id...id,
      wants: { _ in false },
      change: { _, _ in },
      transaction: { if $0.id == id { digest = $0.chainDigest } }
    )
    return digest
  }

  private func compareStart(
    of lineage: Int64,
    parent: Int64,
    after first: Int64,
    _ tick: Tick
  ) throws -> Answer {
    do {
      let before = try replay("parent of \(lineage)", lineage: parent, to: first, tick)
      let after = try replay("start of \(lineage)", lineage: lineage, to: first, tick)
      return try differences(of: after, from: before, in: .lineage(lineage), after: first)
    } catch let error as PipelineError {
      // The parent has no state after this transaction, for example because a gap contains it.
      return Answer(findings: [Finding(.isOtherHistory(error), transaction: first)])
    }
  }

  // MARK: States

  private func folder() throws -> String {
    let folder = try temporary ?? TemporaryFolder()
    temporary = folder
    return folder.path
  }

  /// Replays the logs of a lineage up to a transaction, and returns the replica.
  private func replay(
    _ name: String,
    lineage: Int64,
    to transaction: Int64,
    fromSnapshot: Bool = false,
    _ tick: Tick
  ) throws -> Store {
    var replay = try ImportRequest(logs: request.logs, store: "\(folder())/\(name).store")
    (replay.origin, replay.lineage) = (store, lineage)
    replay.until = .transaction(transaction)
    (replay.fromSnapshot, replay.allowsUnproven) = (fromSnapshot, true)
    _ = try importLogs(replay, tick: tick)
    return try readableStore(replay.store)
  }

  private func differences(
    of state: Store,
    from replayed: Store,
    in place: Finding.StatePlace,
    after transaction: Int64
  ) throws -> Answer {
    try state.read { state in
      var isIncomplete = false
      let findings = try differences(of: state, from: replayed) { difference in
        // A lineage can begin with values that were erased from the logs of its parent afterwards.
        if case .lineage = place, difference.isOfErasedValues {
          isIncomplete = true
          return nil
        }
        return Finding(.stateDiffers(difference, place), transaction: transaction)
      }
      return Answer(isIncomplete: isIncomplete, findings: findings)
    }
  }

  /// The findings about the first objects that differ between a state and a replay.
  private func differences(
    of state: Reader,
    from replayed: Store,
    path: String = "",
    _ finding: (RowDifference) -> Finding?
  ) throws -> [Finding] {
    var findings: [Finding] = []
    var more = 0
    try replayed.read { replayed in
      try replayed.differences(to: state) { difference in
        guard !difference.isOfUnknownValues, let finding = finding(difference) else { return }
        if findings.count < Self.mostDifferences {
          findings.append(finding)
        } else {
          more += 1
        }
      }
    }
    return findings + (more > 0 ? [Finding(.moreRowsDiffer(more), path: path)] : [])
  }

  // MARK: Stores

  /// Compares every row of a store with a replay.
  ///
  /// The logs are replayed into a new store. Then the transactions of the given store that follow the
  /// logs are replayed too.
  private func compareRows(with path: String, _ tick: Tick) throws -> Answer {
    let replica = try folder() + "/replica.store"
    var replay = ImportRequest(logs: request.logs, store: replica)
    replay.origin = store
    replay.allowsUnproven = true
    let reached = try importLogs(replay, tick: tick).to
    // One SQL transaction reads the store, so the comparison uses one state even if other programs
    // write to the store. Rows and history can only be compared if history has all changes.
    func compare(_ store: Reader, head: Int64) throws -> Answer {
      var answer = Answer()
      do {
        answer.unexported = try replayRest(
          of: path,
          after: reached,
          through: head,
          into: replica,
          tick
        )
      } catch let error as PipelineError
        where error.code == .historyDiverged || error.code == .historyExpired
      {
        return Answer(findings: [Finding(.isOtherHistory(error), path: path)])
      }
      answer.findings = try differences(of: store, from: readableStore(replica), path: path) {
        Finding(.rowDiffers($0, folder: request.logs.path), path: path)
      }
      return answer
    }
    if let store = try writableStore(path) {
      return try store.readSealed { try compare($0, head: $0.historyRange().head.transaction) }
    }
    let store = try readableStore(path)
    let head = try store.read { try $0.sealedHead() }
    return try store.read(after: head) { try compare($0, head: head) }
  }

  /// Replays the transactions of the store that follow the logs, and returns the number of these
  /// transactions.
  private func replayRest(
    of path: String,
    after point: HistoryPoint,
    through last: Int64,
    into replica: String,
    _ tick: Tick
  ) throws -> Int64 {
    let logs = LogFolder(try folder() + "/rest")
    try logs.create()
    let token = try folder() + "/token.json"
    try writeToken(point, of: store, to: token)
    var request = ExportRequest(store: path, logs: logs, token: token)
    request.trustsToken = true
    request.until = .transaction(max(last, point.transaction))
    request.level = 1
    let count = try export(request, tick: tick).transactions
    if count > 0 { _ = try importLogs(ImportRequest(logs: logs, store: replica), tick: tick) }
    return count
  }
}

extension RowDifference {
  /// Whether all values that differ were erased in the first state.
  fileprivate var isOfErasedValues: Bool { isUpdate { $0.isAfter || $0.isErased } }

  /// Whether all values that differ were erased in both states, though by different transactions.
  fileprivate var isOfUnknownValues: Bool { isUpdate(\.isErased) }

  private func isUpdate(_ isOfValues: (ToldValue) -> Bool) -> Bool {
    let hasLinks = Side.allCases.contains { values($0).contains(where: \.value.isLinks) }
    return kind == .update && !hasLinks && toldValues.allSatisfy(isOfValues)
  }
}
