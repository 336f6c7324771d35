import ChangeLog
import Format
import Store

/// Creates a transaction that no program saved, such as a snapshot or a gap.
///
/// The default time of the new transaction is the present time.
func madeUpTransaction(
  _ id: Int64,
  operation: TransactionOperation,
  details: String? = nil,
  time: String? = nil,
  schema: StoreSchema,
  of store: Store,
  count: Int64,
  stamp: Provenance.Stamp? = nil
) throws -> Transaction {
  let stamp = stamp ?? Provenance.system.stamp(Author(), count)
  let known = try store.read { try $0.schemas().last { $0.schema == schema } }
  return Transaction(
    id: id,
    time: time ?? stamp.time,
    operation: operation,
    process: stamp.process,
    processID: stamp.processID,
    host: stamp.host,
    schema: known?.digest ?? "",
    count: count,
    seed: count > 0 ? stamp.seed : nil,
    details: details
  )
}

/// Writes a log of one transaction.
///
/// `changes` must call its closure once for each change, with the reader of the change's large
/// values.
///
/// Before the log gets its name, `beforeNaming` receives the digest of the transaction. If
/// `beforeNaming` throws, the log is discarded.
///
/// - Returns: The log's path, and the digest of the transaction.
func writeLog(
  of transaction: Transaction,
  header: LogHeader,
  destination: LogDestination,
  blobs: LogBlobs,
  level: Int = 6,
  beforeNaming: (Digest) throws -> Void = { _ in },
  changes: (_ body: (Change, Reader) throws -> Void) throws -> Void
) throws -> (path: String, digest: Digest) {
  let log = try LogWriter(destination, header: header, level: level)
  let lines = TransactionLines(transaction)
  var digest = TransactionDigest(transaction, after: header.previous)
  try changes { change, reader in
    for value in change.largeReferences where !blobs.contains(value.digest) {
      try blobs.write(reader.largeValue(value.digest), digest: value.digest)
    }
    digest.take(change)
    try log.append(change, lines: lines)
  }
  var transaction = transaction
  let made = try digest.close(lines).transaction
  transaction.digest = made
  try log.close(transaction, lines: lines)
  return (try log.finish { try beforeNaming(made) }, made)
}
