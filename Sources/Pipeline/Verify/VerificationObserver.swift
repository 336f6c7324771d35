import Changes

/// A reader of the transactions that a verification reads, so that the logs are read once.
package protocol VerificationObserver: AnyObject {
  /// Called before a verification; again if it is repeated because the logs were rewritten meanwhile.
  func restart()

  /// Called before the transactions of a lineage.
  func begin(store: String, lineage: Int64)

  /// Returns whether to read the changes of a transaction, before the first of them.
  func wants(_ transaction: Transaction) -> Bool

  /// Called with each of these changes, whose bytes are valid only during the call.
  func take(_ change: Change, transaction: Transaction) throws

  /// Called with each transaction, after its changes.
  func close(_ transaction: Transaction) throws
}
