import Changes

/// A receiver of the transactions that a verification reads.
///
/// With a receiver of transactions, the logs need not be read a second time.
package protocol VerificationObserver: AnyObject {
  /// Called before a verification begins. If logs are rewritten during a verification, the
  /// verification begins again, and this method is called again.
  func restart()

  /// Called before the first transaction of a lineage.
  func begin(store: String, lineage: Int64)

  /// Returns whether the receiver wants the changes of a transaction. It is called before the first
  /// change.
  func wants(_ transaction: Transaction) -> Bool

  /// Called with each wanted change. The bytes of the change are valid only during the call.
  func take(_ change: Change, transaction: Transaction) throws

  /// Called with each transaction, after its changes.
  func close(_ transaction: Transaction) throws
}
