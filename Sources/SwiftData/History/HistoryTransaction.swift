/// An interface for a transaction: what one save changed, when, and by whom if that is known.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of bookmarks; later transactions have greater ones.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of transaction identifiers; unique within one store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The ``ModelContext/author`` of the context that saved; nil if it had none.
  var author: String? { get }
  /// The changes, one for each object; may be empty.
  var changes: [HistoryChange] { get }
  /// The identifier of the store; a transaction belongs to exactly one.
  var storeIdentifier: String { get }
  /// The time of the commit; not necessarily ascending.
  var timestamp: Date { get }
  /// A bookmark that covers all transactions up to this one.
  var token: TokenType { get }
  /// The identifier of the transaction, unique within its store.
  var transactionIdentifier: TransactionIdentifier { get }
}

/// An interface for a bookmark in a history; later ones must be greater.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of the bookmark's contents, in its own store only.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// The contents of the bookmark; nil if it has none.
  var tokenValue: TokenType? { get }
}

/// A type that describes the criteria, and, optionally, the order of transactions to fetch.
///
/// ```swift
/// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
/// descriptor.predicate = #Predicate { $0.token > token && $0.author == author }
/// for transaction in try context.fetchHistory(descriptor) { print(transaction.timestamp) }
/// ```
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// The condition that transactions must meet; nil for all.
  public var predicate: Predicate<TransactionType>?
  /// The order of the transactions; if empty, the order of the commits.
  public var sortBy: [SortDescriptor<TransactionType>]
  /// The maximum number of transactions; 0 for all.
  public var fetchLimit: UInt64 = 0

  /// Describes a fetch; without arguments, of all transactions.
  public init(
    predicate: Predicate<TransactionType>? = nil,
    sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
