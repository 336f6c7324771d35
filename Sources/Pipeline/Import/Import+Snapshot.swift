import ChangeLog
import Changes
import Store

/// The state of a snapshot, where a replica begins with one.
extension Import {
  /// Where logs don't reach back to the beginning, the state of a snapshot is the beginning.
  func begin(_ chain: LogChain, _ tick: Tick) throws {
    let first = chain.files.first?.range.lowerBound
    let beginsLineage = try chain.beginsLineage()
    guard request.fromSnapshot || !beginsLineage else { return }
    guard let file = try snapshot(chain, first) else {
      guard !beginsLineage else { return }
      guard let first else {
        throw PipelineError(
          .missingLogs,
          "There are no logs of the store \(identifier) in \(request.logs.path), only its folder.",
          hint: "Bring the logs, or export the store once there is something in it."
        )
      }
      throw PipelineError(
        .missingLogs,
        "The logs in \(request.logs.path) begin with transaction \(first), and there is no"
          + " snapshot of the state before it\(request.until == .head ? "" : " and before \(request.until)").",
        hint: "Bring the logs from the first transaction on, or a snapshot."
      )
    }
    guard let point = try chain.snapshotPoint(file) else { return }
    if request.isDryRun {
      result.snapshotObjects = try chain.open(file, after: nil).next()?.count ?? 0
    } else {
      try applySnapshot(chain.open(file, after: nil), point, isDirect: false, tick)
    }
    result.to = point
    result.from = point
  }

  /// The newest snapshot that is of use.
  func snapshot(_ chain: LogChain, _ first: Int64?) throws -> LogFolder.File? {
    try chain.snapshots.last { file in
      let id = file.range.lowerBound
      if let first, id < first - 1 { return false }
      switch request.until {
      case .head: return true
      case .transaction(let last): return id <= last
      case .time(let time):
        let reader = try chain.open(file, after: nil)
        return try reader.next().map { $0.time <= time } ?? false
      }
    }
  }

  /// Writes the rows of the first transaction of a log, which is a snapshot.
  func applySnapshot(
    _ reader: LogReader,
    _ point: HistoryPoint,
    isDirect: Bool,
    _ tick: Tick
  ) throws {
    var objects: Int64 = 0
    try withReplayer(reader.header, isDirect: isDirect) { replayer in
      var hasBegun = false
      let transaction = try reader.next { change, _, count in
        if !hasBegun {
          try replayer.begin(snapshot: point, count: count)
          hasBegun = true
        }
        try replayer.apply(change)
        objects += 1
        if objects & 0xfff == 0 { try tick(progress) }
      }
      if !hasBegun { try replayer.begin(snapshot: point, count: transaction?.count ?? 0) }
      try replayer.endSnapshot(time: transaction?.time)
    }
    result.snapshotObjects += objects
  }
}
