import ChangeLog
import Format
import Store

/// The state of a store after a transaction, as one transaction that inserts all objects.
///
/// Snapshots of equal states have equal digests if they have the same time, process, host and seed.
struct SnapshotLog {
  let store: Store
  /// The reader of the state, which can be that of an earlier point.
  let reader: Reader
  /// The recorded transaction whose state the snapshot contains.
  let point: HistoryPoint
  private let schema: StoreSchema
  private let transaction: Transaction

  init(
    of store: Store,
    reader: Reader,
    at point: HistoryPoint,
    stamp: Provenance.Stamp
  ) throws {
    // The snapshot of an adopted file at a point says which values were erased.
    let saysErased = reader.schemaAtPoint != nil && store.schema.hasReadablePast
    if !saysErased { try reader.checkValuesAreKnown() }
    self.store = store
    self.reader = reader
    self.point = point
    schema = try reader.adoptedSchema(after: point.transaction)?.schema ?? store.schema
    transaction = try madeUpTransaction(
      point.transaction,
      operation: .snapshot,
      details: reader.sequences().details,
      time: reader.transaction(point.transaction)?.time,
      schema: schema,
      of: store,
      count: reader.snapshotCount(),
      stamp: stamp
    )
  }

  /// Returns the mark that a later transaction needs to prove the snapshot.
  ///
  /// This function computes the mark without writing a log.
  func mark() throws -> Mark {
    var digest = TransactionDigest(transaction, after: point.digest)
    try reader.snapshot { digest.take($0) }
    let made = try digest.close(TransactionLines(transaction)).transaction
    return Mark(.snapshot, transaction: point.transaction, digest: made)
  }

  /// Writes the snapshot as a log beside the logs of the lineage.
  ///
  /// The header of a snapshot contains the id and the digest of the transaction whose state the
  /// snapshot contains.
  ///
  /// - Parameters:
  ///   - logs: The log folder.
  ///   - level: The compression level.
  ///   - marking: Receives the mark before the log has its name. If it throws, the log is
  ///     discarded.
  ///   - tick: Called after each object.
  /// - Returns: The path of the log.
  /// - Throws: ``LogError``, ``StoreError``, and errors of the closures.
  func write(
    to logs: LogFolder,
    level: Int,
    marking: (Mark) throws -> Void,
    tick: Tick
  ) throws -> String {
    let header = LogHeader(
      store: store.identifier,
      lineage: store.lineage,
      first: point.transaction,
      previous: point.digest,
      schema: schema
    )
    var progress = Progress(total: transaction.count)
    return try writeLog(
      of: transaction,
      header: header,
      destination: .snapshot(logs),
      blobs: logs.blobs,
      level: level,
      beforeNaming: {
        try marking(Mark(.snapshot, transaction: point.transaction, digest: $0))
      },
      changes: { body in
        try reader.snapshot { change in
          try body(change, reader)
          try progress.countChange(tick)
        }
      }
    ).path
  }
}

/// Records a transaction that proves a snapshot, a gap or a filter by a digest in its details, and
/// returns the transaction's id.
///
/// The result is nil if the store can't be written: it is a replica, this user may only read it, or
/// another program is writing to it.
func recordMark(_ details: String, in path: String) throws -> Int64? {
  do {
    guard let store = try writableStore(path), !store.isReplica else { return nil }
    return try store.mark(.mark, author: Author(), details: details)
  } catch let error as StoreError where error.code == .locked {
    return nil
  }
}
