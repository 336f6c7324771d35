/// An interface that enables a custom data store to provide the history of changes for its models.
///
/// The store uses its own types of transactions, tokens and changes, and may leave out kinds of
/// changes. ``ModelContext/fetchHistory(_:)`` asks the stores whose ``HistoryType`` is the type of
/// the descriptor.
public protocol HistoryProviding {
  /// The type of the store's transactions; no two stores of a container need to share it.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the store's transactions, by default ``HistoryType``.
  static var historyType: HistoryType.Type { get }

  /// The transactions that a descriptor selects; empty if there are none.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Deletes the transactions that a descriptor selects from the history, but no objects.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// Always ``HistoryType``.
  public static var historyType: HistoryType.Type { HistoryType.self }
}

/// An interface for changes that contain values by the names of their properties.
///
/// Changes of native stores conform; those of custom stores need not.
public protocol HistoryValueProviding: Sendable {
  /// The values after the change: all of a new object, the changed ones of others, none of a
  /// deleted one.
  var valuesByName: [String: any Sendable] { get }
  /// The values before the change: the changed ones, or the tombstone of a deleted object.
  var previousValuesByName: [String: any Sendable] { get }
}

extension HistoryChange {
  private var provider: (any HistoryValueProviding)? { object as? any HistoryValueProviding }

  /// The values after the change, by property name, without nil; references are identifiers.
  ///
  /// Empty for changes of custom stores that are no ``HistoryValueProviding``.
  public var valuesByName: [String: any Sendable] { provider?.valuesByName ?? [:] }

  /// The values before the change, by property name, without nil.
  public var previousValuesByName: [String: any Sendable] {
    provider?.previousValuesByName ?? [:]
  }
}
