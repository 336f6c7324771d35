import ChangeLog
import Store

/// Writes the state of a store as a log of one transaction, whose inserts are all objects.
///
/// It stands beside the logs of the lineage: its header names the transaction whose state it is, and
/// that transaction's digest, after which history goes on.
struct SnapshotWriter {
  private let store: Store
  private let reader: Reader
  private let request: ExportRequest

  init(_ store: Store, _ reader: Reader, _ request: ExportRequest) {
    self.store = store
    self.reader = reader
    self.request = request
  }

  /// Writes the snapshot, and returns its path.
  func write(_ point: HistoryPoint, _ tick: Tick) throws -> String {
    let count = try reader.snapshotCount()
    let header = LogHeader(
      store: store.identifier,
      lineage: store.lineage,
      first: point.transaction,
      previous: point.digest,
      schema: store.schema
    )
    let log = try LogWriter(.snapshot(request.logs), header: header, level: request.level)
    var transaction = try self.transaction(point, count)
    let lines = TransactionLines(transaction)
    var digest = TransactionDigest(after: point.digest)
    var buffer: [UInt8] = []
    var progress = Progress(total: count)
    try reader.snapshot { change in
      for (value, _) in largeReferences(in: change) where !request.logs.blobs.contains(value) {
        try request.logs.blobs.write(reader.largeData(value), value)
      }
      buffer.removeAll(keepingCapacity: true)
      lines.append(change, to: &buffer)
      digest.update(buffer)
      try buffer.withUnsafeBytes { try log.append(lines: $0, changes: 1) }
      progress.changes += 1
      if progress.changes & 0xfff == 0 { try tick(progress) }
    }
    transaction.digest = digest.finish(lines)
    try log.close(transaction, lines)
    return try log.finish()
  }

  /// The transaction that a snapshot is written as: that of the point, with its time.
  private func transaction(_ point: HistoryPoint, _ count: Int64) throws -> Transaction {
    let author = Author()
    let stamp = Provenance.system.stamp(author, count)
    let schema = try reader.schemas().last { $0.schema == store.schema }
    return Transaction(
      id: point.transaction,
      time: try reader.transaction(point.transaction)?.time ?? stamp.time,
      operation: .snapshot,
      process: stamp.process,
      processID: stamp.processID,
      host: stamp.host,
      schema: schema?.digest ?? "",
      count: count,
      salt: stamp.salt
    )
  }
}
