import Changes

/// Who did something, and when.
package struct Touch: Hashable, Sendable {
  package var transaction: Int64
  package var time: String
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
