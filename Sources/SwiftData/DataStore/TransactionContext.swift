/// Who makes the transactions of a context, why, and for which request; history keeps each text.
///
/// ```swift
/// context.transactionContext = TransactionContext(
///   author: "billing",
///   reason: "ticket 7",
///   request: "POST /invoices/7"
/// )
/// try context.save()
/// ```
public struct TransactionContext: Hashable, Sendable {
  /// The same as ``ModelContext/author``; nil for none.
  public var author: String?
  /// The reason for the changes in words, such as a ticket; nil for none.
  public var reason: String?
  /// The request that the program handles, such as a web request; nil for none.
  public var request: String?

  /// Creates a context for transactions; without arguments, all three texts are nil.
  public init(author: String? = nil, reason: String? = nil, request: String? = nil) {
    self.author = author
    self.reason = reason
    self.request = request
  }
}
