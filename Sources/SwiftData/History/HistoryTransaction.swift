/// An interface for one transaction of a store's history: what one save changed, when, and in whose
/// name.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of the bookmark that the transaction makes.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of what tells the transaction from others of its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// Who made the changes, as ``ModelContext/author`` said; nil if it said nothing.
  var author: String? { get }
  /// The changes, in their order: one for each object.
  var changes: [HistoryChange] { get }
  /// The store whose history it belongs to.
  var storeIdentifier: String { get }
  /// When it was written.
  var timestamp: Date { get }
  /// A bookmark: all up to this transaction.
  var token: TokenType { get }
  /// What tells the transaction from others of its store.
  var transactionIdentifier: TransactionIdentifier { get }
}

/// An interface for a bookmark in the history of one or several stores.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of what the bookmark consists of.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// What the bookmark consists of.
  var tokenValue: TokenType? { get }
}

/// A type that describes the criteria, and, optionally, the order of transactions to fetch.
///
/// ```swift
/// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
/// descriptor.predicate = #Predicate { $0.token > token && $0.author == author }
/// let transactions = try context.fetchHistory(descriptor)
/// ```
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// The condition that transactions must meet; nil for all.
  public var predicate: Predicate<TransactionType>?
  /// The order of the transactions; without one, that in which they were written.
  public var sortBy: [SortDescriptor<TransactionType>]
  /// The most transactions to fetch; zero for all.
  public var fetchLimit: UInt64 = 0

  /// Describes a fetch.
  public init(
    predicate: Predicate<TransactionType>? = nil,
    sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
