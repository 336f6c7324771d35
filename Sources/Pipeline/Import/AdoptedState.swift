import ChangeLog
import Format
import Store

/// Creates a replica with an earlier state of an adopted file, in a folder for temporary files.
///
/// The state is computed from the present rows and the later changes of the adopted file, so the
/// file is not copied and rewound.
///
/// - Returns: The replica, and the transaction whose state the replica has. This transaction is
///   later than the wanted transaction if earlier history was deleted, or if a later transaction
///   recorded tables again.
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
package func adoptedState(
  of store: Store,
  after transaction: Int64,
  in folder: String,
  tick: Tick
) throws -> (store: Store, transaction: Int64) {
  let logs = LogFolder(folder + "/state")
  try logs.create()
  let reached = try store.read { reader in
    let reached = try max(
      transaction,
      reader.lastMissingTransaction(),
      reader.adoptedStart() ?? 0
    )
    let log = try SnapshotLog(
      of: store,
      reader: reader,
      at: reader.point(reached),
      stamp: Provenance.system.stamp(Author(), 0)
    )
    _ = try log.write(to: logs, level: 1, marking: { _ in }, tick: tick)
    return reached
  }
  var request = ImportRequest(logs: logs, store: folder + "/adopted.store")
  request.allowsUnproven = true
  _ = try importLogs(request, tick: tick)
  return (try readableStore(request.store), reached)
}
