/// One change in a transaction: the insertion, update or deletion of one object.
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
  /// The object was inserted; the change contains the object's values at the end of the
  /// transaction.
  case insert(any HistoryInsert)
  /// Values of the object changed.
  ///
  /// A value that is the same before and after the transaction is not included.
  case update(any HistoryUpdate)
  /// The object was deleted; history keeps only the values in its tombstone.
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

/// An interface for a change of one object; the types of custom stores need not provide values.
public protocol HistoryObjectChange<Model>: Sendable {
  /// The class of the object; ``UnknownModel`` if the container no longer has it.
  associatedtype Model: PersistentModel
  /// The type of transaction identifiers; each identifier is unique within one store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of change identifiers; each identifier is unique within one store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of the change, unique within its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the change's transaction, unique within its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the object, even if the object does not exist any more.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An interface for the insertion of an object, without requirements beyond
/// ``HistoryObjectChange``.
public protocol HistoryInsert<Model>: HistoryObjectChange {}

/// An interface for an update of an object; ``DefaultHistoryUpdate`` also provides the values.
public protocol HistoryUpdate<Model>: HistoryObjectChange {
  /// A key path of a changed property; key paths of models are always `Sendable`.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The changed properties, except properties that the class no longer has.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// An interface for the deletion of an object; only the object's tombstone remains.
public protocol HistoryDelete<Model>: HistoryObjectChange {
  /// The values of the deleted object that history keeps; empty if history keeps none.
  var tombstone: HistoryTombstone<Model> { get }
}
