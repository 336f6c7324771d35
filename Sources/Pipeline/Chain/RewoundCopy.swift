import Changes
import FoundationEssentials
import Store

/// Copies a store into a folder, and reverts the copy to its state after an earlier transaction.
///
/// - Returns: The copy, and the transaction, which is the head if a migration or an erasure can't
///   be reverted.
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
