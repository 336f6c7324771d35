import ChangeLog
import Changes
import Store

/// Writes the state of a store as a log of one transaction that inserts all objects, and returns
/// its path.
///
/// The log is beside those of the lineage. Its header has the id and the digest of the transaction
/// after which history continues.
func writeSnapshot(
  of store: Store,
  reader: Reader,
  at point: HistoryPoint,
  request: ExportRequest,
  tick: Tick
) throws -> String {
  let count = try reader.snapshotCount()
  let header = LogHeader(
    store: store.identifier,
    lineage: store.lineage,
    first: point.transaction,
    previous: point.digest,
    schema: store.schema
  )
  var transaction = try madeUpTransaction(
    point.transaction,
    operation: .snapshot,
    schema: store.schema,
    of: store,
    count: count
  )
  if let time = try reader.transaction(point.transaction)?.time { transaction.time = time }
  var progress = Progress(total: count)
  return try writeLog(
    of: transaction,
    header: header,
    destination: .snapshot(request.logs),
    blobs: request.logs.blobs,
    level: request.level
  ) { body in
    try reader.snapshot { change in
      try body(change, reader)
      try progress.countChange(tick)
    }
  }.path
}
