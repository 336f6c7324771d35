import Changes

package struct Touch: Hashable, Sendable {
  package var transaction: Int64
  package var time: String
  package var author: String?
  package var operation = TransactionOperation.recorded

  init(_ transaction: Transaction) {
    self.transaction = transaction.id
    time = transaction.time
    author = transaction.author
    operation = transaction.operation
  }
}
