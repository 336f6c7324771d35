import Changes

/// Who did something, and when.
package struct Touch: Hashable, Sendable {
  package var transaction: Int64
  /// When it was.
  package var time: String
  /// Who made it.
  package var author: String?
  /// How it came into history.
  package var operation = TransactionOperation.recorded

  init(_ transaction: Transaction) {
    self.transaction = transaction.id
    time = transaction.time
    author = transaction.author
    operation = transaction.operation
  }
}
