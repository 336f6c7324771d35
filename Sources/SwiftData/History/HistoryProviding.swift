/// An interface that enables a custom data store to provide the history of changes for its models.
///
/// A store of one's own has transactions, tokens and changes of its own types, and only the kinds of
/// changes that it knows. ``ModelContext/fetchHistory(_:)`` asks the stores whose ``HistoryType`` is
/// the type of the descriptor.
public protocol HistoryProviding {
  /// The type of the store's transactions.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the store's transactions.
  static var historyType: HistoryType.Type { get }

  /// Finds transactions.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Deletes the transactions that a descriptor describes from the history; the objects stay.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The type of the store's transactions.
  public static var historyType: HistoryType.Type { HistoryType.self }
}

/// An interface for changes that tell values, by the names of the properties.
///
/// Those of SwiftData's own stores do; those of a custom store may.
public protocol HistoryValueProviding: Sendable {
  /// The values after the change: all of a new object, those that changed of another; none of one
  /// that was deleted.
  var valuesByName: [String: any Sendable] { get }
  /// The values before the change: those that changed, or all that are kept of a deleted object.
  var previousValuesByName: [String: any Sendable] { get }
}

extension HistoryChange {
  private var provider: (any HistoryValueProviding)? { object as? any HistoryValueProviding }

  /// The values after the change, by the names of the properties; nil is left out.
  ///
  /// References are identifiers. For changes of a custom store that tell no values there are none.
  public var valuesByName: [String: any Sendable] { provider?.valuesByName ?? [:] }

  /// The values before the change, by the names of the properties; nil is left out.
  public var previousValuesByName: [String: any Sendable] {
    provider?.previousValuesByName ?? [:]
  }
}
