/// An interface that enables a custom data store to provide the history of changes for its models.
///
/// The store uses its own types for transactions, tokens and changes, and may omit insertions,
/// updates or deletions. ``ModelContext/fetchHistory(_:)`` asks all stores whose ``HistoryType`` is
/// the descriptor's type of transaction.
public protocol HistoryProviding {
  /// The type of the store's transactions; two stores of a container may have different types.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the store's transactions, by default ``HistoryType``.
  static var historyType: HistoryType.Type { get }

  /// The transactions that a descriptor selects; empty if there are none.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Deletes the selected transactions from the history; objects are not changed.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The type of the store's transactions; always ``HistoryType``.
  public static var historyType: HistoryType.Type { HistoryType.self }
}

/// An interface for changes whose values can be found by the names of properties.
///
/// Changes of native stores conform to this protocol; changes of custom stores need not.
public protocol HistoryValueProviding: Sendable {
  /// The values after the change: all values of a new object, the changed values of an updated one,
  /// and none of a deleted one.
  var valuesByName: [String: any Sendable] { get }
  /// The values before the change: the changed values of an updated object, or the tombstone of a
  /// deleted one; empty for a new one.
  var previousValuesByName: [String: any Sendable] { get }
}

extension HistoryChange {
  private var provider: (any HistoryValueProviding)? { object as? any HistoryValueProviding }

  /// The values after the change, without those that are nil, by property name; a reference is given
  /// as an identifier.
  ///
  /// The dictionary is empty if the change is of a custom store and does not conform to
  /// ``HistoryValueProviding``.
  public var valuesByName: [String: any Sendable] { provider?.valuesByName ?? [:] }

  /// The values before the change that are not nil, by property name.
  public var previousValuesByName: [String: any Sendable] {
    provider?.previousValuesByName ?? [:]
  }
}
