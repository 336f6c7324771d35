import Format

package struct Touch: Hashable, Sendable {
  package var transaction: Int64
  package var time: String
  package var author: String?
  package var reason: String?
  package var request: String?
  package var operation = TransactionOperation.recorded

  package init(_ transaction: Transaction) {
    self.transaction = transaction.id
    time = transaction.time
    author = transaction.author
    reason = transaction.reason
    request = transaction.request
    operation = transaction.operation
  }
}
