/// An interface for a transaction: the changes of one save, its time, and its author if known.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of the tokens; a later transaction must have a greater token.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of transaction identifiers; each identifier is unique within one store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The ``ModelContext/author`` of the context that saved; nil if it had none.
  var author: String? { get }
  /// The changes, at most one for each object; the list may be empty.
  var changes: [HistoryChange] { get }
  /// The identifier of the store that contains the transaction; never empty.
  var storeIdentifier: String { get }
  /// The time of the commit; a later transaction may have an earlier time.
  var timestamp: Date { get }
  /// A bookmark that covers all transactions up to this one.
  var token: TokenType { get }
  /// The identifier of the transaction, unique within its store.
  var transactionIdentifier: TransactionIdentifier { get }
}

/// An interface for a bookmark in a history; a later bookmark must be greater than an earlier one.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of the bookmark's value; only the bookmark's own store must understand the value.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// The value of the bookmark; nil if it has none.
  var tokenValue: TokenType? { get }
}

/// The criteria and the order of a fetch of transactions.
///
/// By default, a fetch returns all transactions in the order of the commits.
///
/// ```swift
/// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
/// descriptor.predicate = #Predicate { $0.token > token && $0.author == author }
/// for transaction in try context.fetchHistory(descriptor) { print(transaction.timestamp) }
/// ```
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// The condition that a transaction must meet; nil selects all transactions.
  public var predicate: Predicate<TransactionType>?
  /// The order of the transactions; empty for the order of the commits.
  public var sortBy: [SortDescriptor<TransactionType>]
  /// The maximum number of transactions; 0 means no limit.
  public var fetchLimit: UInt64 = 0

  /// Describes a fetch; without arguments, it selects all transactions.
  public init(
    predicate: Predicate<TransactionType>? = nil,
    sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
