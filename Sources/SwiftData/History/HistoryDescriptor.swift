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
