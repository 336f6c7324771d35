import ChangeLog
import Format
import Store

extension Recovery {
  /// Begins a new lineage of logs for a store that was restored from an older copy.
  ///
  /// The first log of a new lineage contains one transaction: a snapshot after the last transaction
  /// that the store and the logs have in common. The details of the snapshot contain the head of
  /// the old lineage. The next logs contain the later transactions of the store.
  func beginLineage(after last: HistoryPoint, result: inout RecoverResult, tick: Tick) throws {
    // The logs may have a later lineage than the store, if another restored copy began it.
    let own =
      store.lineage == last.lineage
      ? chain : try LogChain(request.logs, store: chain.store, lineage: store.lineage)
    guard store.lineage <= last.lineage, !(own.files.isEmpty && own.snapshots.isEmpty) else {
      throw otherLineage(store.lineage, logs: last.lineage, store: request.store)
    }
    if store.lineage < last.lineage { _ = try own.verifiedEnd(after: nil) }
    let (base, head) = try store.read { try ($0.knownStart(), $0.lastTransaction()) }
    let common = try lastCommon(with: own, after: base, tick: tick)
    // If there is no common transaction, the lineage begins with the first state that is known.
    let fork = max(common, base, min(1, head))
    let isProgram = store.schema.hasReadablePast
    let point = try isProgram ? fork : readablePoint(of: store, wanted: fork)
    // Ids begin with 1, also in the lineage of a store that has no transaction.
    let reached = max(point, 1)
    let schema = try store.read { try $0.adoptedSchema(after: point)?.schema } ?? store.schema
    if try finishStopped(
      last,
      point: point,
      reached: reached,
      schema: schema,
      result: &result,
      tick: tick
    ) {
      return
    }
    let lineage = last.lineage + 1
    let header = LogHeader(
      store: chain.store,
      lineage: lineage,
      first: reached,
      previous: TransactionDigest.beginning(ofStore: chain.store, lineage: lineage),
      schema: schema
    )
    // The time of the first log must not be later than the time of the next transaction, which can
    // be earlier than this run. Otherwise a time between the two would select the earlier lineage.
    let next = try store.read { try $0.history(after: reached).nextTransaction() }
    let (path, digest) = try store.read(after: point) { reader in
      result.objects = try reader.snapshotCount()
      let transaction = try madeUpTransaction(
        reached,
        operation: .snapshot,
        details: LineageOrigin(
          head: last,
          parent: store.lineage,
          common: reached == common ? nil : common
        ).details(sequences: reader.sequences()),
        time: next?.time,
        schema: schema,
        of: store,
        count: result.objects
      )
      let day = LogDestination.day(String(transaction.time.prefix(10)), request.logs)
      return try writeLog(
        of: transaction,
        header: header,
        destination: day,
        blobs: request.logs.blobs
      ) { body in
        try reader.snapshot { try body($0, reader) }
      }
    }
    result.resumes = HistoryPoint(lineage: lineage, transaction: reached, digest: digest)
    try store.beginLineage(after: result.resumes)
    result.remedy = .lineage
    result.file = path
    try moveToken(to: result.resumes)
  }

  /// Completes a run that was interrupted after it wrote the first log of the new lineage.
  private func finishStopped(
    _ last: HistoryPoint,
    point: Int64,
    reached: Int64,
    schema: StoreSchema,
    result: inout RecoverResult,
    tick: Tick
  ) throws -> Bool {
    guard last.lineage > store.lineage, chain.files.count == 1, let file = chain.files.first,
      file.range == reached...reached
    else { return false }
    let log = try chain.open(file, after: nil)
    guard let transaction = try log.next(), transaction.lineageOrigin?.parent == store.lineage,
      try begins(at: point, schema: schema, tick: tick)
    else { return false }
    try store.beginLineage(after: last)
    result.remedy = .lineage
    result.file = file.path
    result.objects = transaction.count
    try moveToken(to: last)
    return true
  }

  /// Whether the lineage begins with the store's state at a point.
  ///
  /// If the lineage begins with another state, another copy of the store began the lineage.
  private func begins(at point: Int64, schema: StoreSchema, tick: Tick) throws -> Bool {
    let begun = try importedState(tick)
    guard begun.schema == schema else { return false }
    var isSame = true
    try begun.read { one in
      try store.read(after: point) { other in
        try one.differences(to: other) { _ in isSame = false }
      }
    }
    return isSame
  }

  /// The last transaction that the store and the logs have in common.
  ///
  /// The result is zero if there is no common transaction, or if history, which begins after
  /// `base`, no longer contains it.
  private func lastCommon(with chain: LogChain, after base: Int64, tick: Tick) throws -> Int64 {
    try store.read { reader in
      let start = try TrustedPosition(transaction: base, digest: reader.point(base).digest)
      guard try base == 0 || chain.has(start) else { return 0 }
      let cursor = try reader.history(after: base)
      var mine = try cursor.nextTransaction()
      var common = base
      for file in chain.files where file.range.upperBound > base {
        let log = try chain.open(file, after: nil)
        while let transaction = try log.next() {
          guard transaction.id > base else { continue }
          guard let own = mine, own.id == transaction.id,
            try own.digest ?? reader.point(own.id).digest == transaction.digest
          else { return common }
          common = own.id
          mine = try cursor.nextTransaction()
          try tick(Progress())
        }
      }
      return common
    }
  }
}
