/// One change of a transaction: what happened to one object.
///
/// ```swift
/// switch change {
/// case .insert(_ as DefaultHistoryInsert<Trip>): …
/// case .update(let update as DefaultHistoryUpdate<Trip>): …
/// case .delete(let delete as DefaultHistoryDelete<Trip>): delete.tombstone[\.name]
/// default: break
/// }
/// ```
public enum HistoryChange: Sendable {
  /// The object came.
  case insert(any HistoryInsert)
  /// Values of the object changed.
  case update(any HistoryUpdate)
  /// The object went.
  case delete(any HistoryDelete)

  /// What is known of the change whatever its kind.
  var object: any HistoryObjectChange {
    switch self {
    case .insert(let insert): insert
    case .update(let update): update
    case .delete(let delete): delete
    }
  }

  /// The identity of the object.
  public var changedPersistentIdentifier: PersistentIdentifier {
    object.changedPersistentIdentifier
  }
}

/// An interface for a change of one object, whatever its kind.
public protocol HistoryObjectChange<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of what tells the transaction from others of its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of what tells the change from others of its store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// What tells the change from others of its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An interface for the insertion of an object.
public protocol HistoryInsert<Model>: HistoryObjectChange {}

/// An interface for a change of an object's values.
public protocol HistoryUpdate<Model>: HistoryObjectChange {
  /// A property that changed.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The properties that changed.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// An interface for the deletion of an object.
public protocol HistoryDelete<Model>: HistoryObjectChange {
  /// The values that are kept of the object.
  var tombstone: HistoryTombstone<Model> { get }
}
