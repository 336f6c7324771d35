import Format

/// Receives the transactions while the logs are verified, so that the logs need not be read again.
package protocol VerificationObserver: AnyObject {
  /// Called whenever a verification begins. A verification begins again if logs were rewritten in
  /// the meantime.
  func restart()

  /// Called before the first transaction of a lineage.
  func begin(store: String, lineage: Int64)

  /// Called before the first change of a transaction; returns whether the receiver wants the
  /// changes.
  ///
  /// The transaction has only the facts that the line of each change contains.
  func open(_ transaction: Transaction) -> Bool

  /// Called with each wanted change of the open transaction. The bytes of the change are valid only
  /// during the call.
  func take(_ change: Change) throws

  /// Called with each transaction, after its changes.
  func close(_ transaction: Transaction) throws
}
