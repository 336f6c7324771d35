import ChangeLog
import Format
import Store

extension Export {
  /// Writes the snapshot with which the logs begin.
  ///
  /// The logs of an adopted file begin with the state after its adoption. Other logs begin with the
  /// state at the last deletion that history records. If there is none, or if that state can't be
  /// restored, they begin with the present state.
  func writeFirstSnapshot(_ tick: Tick) throws {
    if let start = try reader.adoptedStart() {
      result.from = try reader.point(start)
      try writeSnapshot(at: result.from, tick: tick)
    } else if let point = try writePrunedSnapshot(tick) {
      result.from = point
    } else {
      result.from = try reader.point(result.head)
      try writeSnapshot(at: result.from, tick: tick)
    }
    let last = result.from.transaction
    // No notice is needed if the snapshot replaces only the first transaction of an adoption, which
    // has no changes.
    let isMarker = try last == 1 && reader.adoptedStart() != nil
    if !isMarker, let oldest = try reader.historyRange().oldest, oldest <= last {
      result.notices.append(
        Finding(.beginsWithSnapshot(oldest...last, of: request.store, request.logs.path))
      )
    }
  }

  /// Writes the snapshot that the last deletion of history proves, and returns the snapshot's
  /// point.
  ///
  /// The result is nil if the snapshot can't be created again, for example because values were
  /// erased after the deletion.
  private func writePrunedSnapshot(_ tick: Tick) throws -> HistoryPoint? {
    guard let prune = try reader.lastPrune(), let mark = prune.mark, let seed = prune.seed else {
      return nil
    }
    guard !request.isDryRun else {
      result.snapshot = ""
      return try reader.point(mark.transaction)
    }
    struct OtherState: Error {}
    do {
      return try store.read(after: mark.transaction) { past in
        let point = try reader.point(mark.transaction)
        let log = try SnapshotLog(
          of: store,
          reader: past,
          at: point,
          stamp: Provenance.Stamp(
            time: prune.time,
            process: prune.process,
            processID: prune.processID,
            host: prune.host,
            seed: seed
          )
        )
        result.snapshot = try log.write(
          to: request.logs,
          level: request.level,
          marking: { if $0 != mark { throw OtherState() } },
          tick: tick
        )
        return point
      }
    } catch is OtherState {
      return nil
    } catch let error as StoreError where error.code == .irreversible {
      return nil
    }
  }

  /// Writes a snapshot of the store after its last transaction.
  func writeSnapshot(at point: HistoryPoint, tick: Tick) throws {
    guard point.transaction > 0 else { return }
    // If the last transaction only proves the snapshot of the transaction before it, the state has
    // not changed since that snapshot.
    let marked = try reader.transaction(point.transaction)?.mark?.transaction
    let known = try request.logs.snapshots(of: store.identifier, lineage: store.lineage)
      .last { file in
        let id = file.range.lowerBound
        return id == point.transaction || id == marked && id == point.transaction - 1
      }
    if let known {
      result.snapshot = known.path
      return
    }
    guard filtered == nil else {
      throw PipelineError(.misuse) {
        "A snapshot is the whole state of \(request.store), which filtered logs do not contain."
          + "\nLeave out --snapshot."
      }
    }
    guard !request.isDryRun else {
      result.snapshot = ""
      return
    }
    if try reader.shows(point) {
      try writeSnapshot(at: point, from: reader, tick: tick)
    } else {
      try store.read(after: point.transaction) {
        try writeSnapshot(at: point, from: $0, tick: tick)
      }
    }
    if self.marked == nil {
      result.notices.append(Finding(.snapshotIsUnproven, transaction: point.transaction))
    }
  }

  private func writeSnapshot(at point: HistoryPoint, from state: Reader, tick: Tick) throws {
    let log = try SnapshotLog(
      of: store,
      reader: state,
      at: point,
      stamp: Provenance.system.stamp(Author(), 0)
    )
    result.snapshot = try log.write(
      to: request.logs,
      level: request.level,
      // The whole state has been read when this closure is called, so the readers can end their read
      // transactions.
      marking: { mark in
        if state !== reader { try state.end() }
        self.marked = try reader.withoutSnapshot {
          try recordMark("{\(mark.member)}", in: request.store)
        }
      },
      tick: tick
    )
  }

  /// Exports the transaction that proves the new snapshot, and the transactions before it.
  func exportMark(_ tick: Tick) throws {
    guard let marked, marked > result.to.transaction else { return }
    try reader.refresh()
    // The store is synced before a log contains the proof, because the store must not lose the
    // proof in a power failure.
    try reader.sync()
    schemas = try schemasByDigest(reader)
    result.head = marked
    try exportTransactions(through: marked, tick: tick)
  }
}
