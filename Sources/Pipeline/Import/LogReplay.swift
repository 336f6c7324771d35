import ChangeLog
import Format
import Store

struct LogReplay {
  /// The maximum number of changes in one SQL transaction.
  ///
  /// A transaction of the origin is not split, even if it has more changes than this maximum.
  private static let batch: Int64 = 50_000

  let replica: Replica
  let chain: LogChain
  let file: LogFolder.File
  let isDirect: Bool
  let repairs: LaterRepairs

  /// Opens the log at its beginning.
  ///
  /// If all transactions of the log are after the point, the first transaction must directly follow
  /// the point.
  func open(after point: HistoryPoint) throws -> LogReader {
    try chain.open(file, after: file.range.lowerBound <= point.transaction ? nil : point)
  }

  /// Replays the log in one SQL transaction, which is committed after the whole log was verified.
  func replayAtOnce(_ state: inout ImportState, tick: Tick) throws {
    let reader = try open(after: state.result.to)
    let before = state.progress
    do {
      try passOver(reader, from: reader.header.first, through: state.result.to)
      let source = ReadAhead(reader)
      defer { source.stop() }
      _ = try replayBatch(source, header: reader.header, state: &state, tick: tick) {
        try chain.checkEnd(reader, file: file)
      }
    } catch {
      state.progress = before
      throw error
    }
  }

  /// Replays the wanted part of a log that is already verified.
  func replay(_ wanted: WantedTransactions, state: inout ImportState, tick: Tick) throws {
    let reader = try chain.open(file, after: nil)
    var next = reader.header.first
    if let start = wanted.lineageStart {
      try replica.replaySnapshot(
        reader,
        point: start,
        isDirect: isDirect,
        state: &state,
        tick: tick
      )
      next = start.transaction + 1
    }
    try passOver(reader, from: next, through: state.result.to)
    let source = ReadAhead(reader)
    defer { source.stop() }
    let (header, last) = (reader.header, wanted.end.transaction)
    while state.result.to.transaction < last,
      try replayBatch(
        source,
        header: header,
        through: last,
        limit: Self.batch,
        state: &state,
        tick: tick
      )
    {}
  }

  /// Skips the transactions that the replica already has.
  private func passOver(
    _ reader: LogReader,
    from first: Int64,
    through point: HistoryPoint
  ) throws {
    var next = first
    while next <= point.transaction, let transaction = try reader.next() {
      try replica.checkDivergence(transaction, from: point, log: reader.path)
      next = transaction.id + 1
    }
  }

  /// Replays a batch of transactions in one SQL transaction.
  ///
  /// The result is false if no transactions remain in the log.
  private func replayBatch(
    _ source: ReadAhead,
    header: LogHeader,
    through last: Int64 = .max,
    limit: Int64 = .max,
    state: inout ImportState,
    tick: Tick,
    beforeCommit check: () throws -> Void = {}
  ) throws -> Bool {
    let before = state.result
    var reached = before
    try replica.replay(header, isDirect: isDirect) { replayer in
      replayer.isRecordedLater = { try repairs.contain($0, after: file) }
      while reached.changes - before.changes < limit, reached.to.transaction < last {
        let next = reached.to.transaction + 1
        guard
          let transaction = try replayNext(
            source,
            replayer: replayer,
            next: next,
            progress: &state.progress,
            tick: tick
          ),
          let point = transaction.point(inLineage: header.lineage)
        else { break }
        reached.to = point
        reached.transactions += 1
        reached.changes += transaction.count
      }
      try check()
    }
    state.result = reached
    return reached.to != before.to
  }

  private func replayNext(
    _ source: ReadAhead,
    replayer: Replayer,
    next: Int64,
    progress: inout Progress,
    tick: Tick
  ) throws -> Transaction? {
    while let step = try source.next() {
      switch step {
      case .begin(let transaction, let count):
        try replayer.begin(transaction, count: count, first: next)
      case .changes(let changes, let range):
        for index in range {
          try replayer.apply(changes, at: index)
          try progress.countChange(tick)
        }
      case .end(let transaction):
        try replayer.end(transaction)
        try progress.countTransaction(tick)
        return transaction
      }
    }
    return nil
  }
}

extension Replica {
  /// Writes the rows of a snapshot.
  ///
  /// The snapshot is the first transaction of its log.
  func replaySnapshot(
    _ reader: LogReader,
    point: HistoryPoint,
    isDirect: Bool,
    state: inout ImportState,
    tick: Tick
  ) throws {
    var objects: Int64 = 0
    try replay(reader.header, isDirect: isDirect) { replayer in
      var hasBegun = false
      let transaction = try reader.next { change, _, count in
        if !hasBegun {
          try replayer.begin(snapshot: point, count: count)
          hasBegun = true
        }
        try replayer.apply(change)
        objects += 1
        if objects & 0xfff == 0 { try tick(state.progress) }
      }
      if !hasBegun { try replayer.begin(snapshot: point, count: transaction?.count ?? 0) }
      try replayer.endSnapshot(
        time: transaction?.time,
        sequences: transaction?.sequences ?? []
      )
    }
    state.result.snapshotObjects += objects
    state.result.to = point
  }
}
