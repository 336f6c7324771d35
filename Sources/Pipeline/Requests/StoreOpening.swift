import Format
import FoundationEssentials
import Store

/// Opens a store for reading.
///
/// `sealsBacklog` says whether captured changes of an adopted file are sealed first, even if this
/// takes long.
package func readableStore(_ path: String, sealsBacklog: Bool = true) throws -> Store {
  var options = Options(isReadOnly: true)
  options.sealsBacklog = sealsBacklog
  return try Store.open(.file(URL(fileURLWithPath: path)), options: options)
}

/// Opens a store for writing; nil if this user may only read the store's file or folder.
func writableStore(_ path: String, busyTimeout: Duration = .seconds(10)) throws -> Store? {
  do {
    let options = Options(busyTimeout: busyTimeout)
    return try Store.open(.file(URL(fileURLWithPath: path)), options: options)
  } catch let error as StoreError where error.code == .readOnly {
    return nil
  }
}

/// Copies a store into a folder, and reverts the copy to its state after an earlier transaction.
///
/// - Returns: The copy, and the transaction whose state the copy has. If a migration or an erasure
///   can't be reverted, the copy keeps the state of the head.
func rewoundCopy(
  of store: Store,
  to transaction: Int64,
  in folder: String
) throws -> (store: Store, transaction: Int64) {
  let url = URL(fileURLWithPath: folder + "/rewound.store")
  try store.copy(to: url)
  var reached = transaction
  do {
    try Store.rewind(url, to: transaction)
  } catch let error as StoreError where error.code == .irreversible {
    reached = try store.read { try $0.sealedHead() }
  }
  return (try readableStore(url.path), reached)
}
