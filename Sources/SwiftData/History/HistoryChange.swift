/// One change of a transaction: what happened to one object.
///
/// A transaction has at most one change for each object.
///
/// ```swift
/// switch change {
/// case .insert(let insert as DefaultHistoryInsert<Trip>): print(insert.values.names)
/// case .delete(let delete as DefaultHistoryDelete<Trip>): print(delete.tombstone.values.names)
/// default: break
/// }
/// ```
public enum HistoryChange: Sendable {
  /// The object was inserted; its values are those at the end of the transaction.
  case insert(any HistoryInsert)
  /// Values of the object changed; only those with another value at the end are included.
  case update(any HistoryUpdate)
  /// The object was deleted; only the values in its tombstone remain.
  case delete(any HistoryDelete)

  var object: any HistoryObjectChange {
    switch self {
    case .insert(let insert): insert
    case .update(let update): update
    case .delete(let delete): delete
    }
  }

  /// The identity of the object, even if the object does not exist any more.
  public var changedPersistentIdentifier: PersistentIdentifier {
    object.changedPersistentIdentifier
  }
}

/// An interface for a change of one object; custom stores may use types without values.
public protocol HistoryObjectChange<Model>: Sendable {
  /// The class of the object; ``UnknownModel`` if the container no longer has it.
  associatedtype Model: PersistentModel
  /// The type of transaction identifiers; unique within one store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of change identifiers; unique within one store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of the change, unique within its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the change's transaction, unique within its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the object, even if the object does not exist any more.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An interface for the insertion of an object, without further requirements.
public protocol HistoryInsert<Model>: HistoryObjectChange {}

/// An interface for an update of an object's values; ``DefaultHistoryUpdate`` also has the values.
public protocol HistoryUpdate<Model>: HistoryObjectChange {
  /// A changed property; `Sendable`, as all key paths of models are.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The changed properties, without those that the class no longer has.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// An interface for the deletion of an object, of which only a tombstone remains.
public protocol HistoryDelete<Model>: HistoryObjectChange {
  /// The values that history keeps of the object; empty if it keeps none.
  var tombstone: HistoryTombstone<Model> { get }
}
