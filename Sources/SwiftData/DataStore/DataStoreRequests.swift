/// A request for the objects that a descriptor selects.
///
/// ```swift
/// let found = try store.fetch(DataStoreFetchRequest(descriptor: FetchDescriptor<Trip>()))
/// ```
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The predicate, order and limit; a store may decline the predicate or the order with a
  /// ``DataStoreError``.
  public let descriptor: FetchDescriptor<T>
  /// The context that makes the request; its author may be nil.
  public let editingState: EditingState

  /// Creates a request; only programs that use a store without a context call this initializer.
  public init(descriptor: FetchDescriptor<T>, editingState: EditingState = EditingState()) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// The objects that a store found for a request; empty if there are none.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>:
  Sendable
{
  /// The descriptor of the request; the store must not change it.
  public let descriptor: FetchDescriptor<ModelType>
  /// The objects that were found, in the requested order; empty if there are none.
  public let fetchedSnapshots: [SnapshotType]
  /// Snapshots of related objects, which SwiftData then need not fetch separately; may be empty.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates a result; related snapshots are optional.
  public init(
    descriptor: FetchDescriptor<ModelType>,
    fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The changes of one save; a store writes all or none of them.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// The context that saves; its author may be nil.
  public let editingState: EditingState
  /// New objects.
  ///
  /// The identifiers of these objects may be temporary, and so may the identifiers in their
  /// references.
  public let inserted: [SnapshotType]
  /// Changed objects with all their values, not only the changed values.
  public let updated: [SnapshotType]
  /// Deleted objects, with their last values; empty if there are none.
  public let deleted: [SnapshotType]

  /// Creates a request; only programs that use a store without a context call this initializer.
  public init(
    editingState: EditingState = EditingState(),
    inserted: [SnapshotType] = [],
    updated: [SnapshotType] = [],
    deleted: [SnapshotType] = []
  ) {
    self.editingState = editingState
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }
}

/// The result of a save: identifiers, and only those values that the store itself changed.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The identifier of the store that wrote the save; the identifiers of its objects contain the
  /// same value.
  public let storeIdentifier: String
  /// The permanent identifiers of new objects, by the temporary identifiers.
  ///
  /// If a new object has the unique values of an existing object, it gets the permanent identifier
  /// of the existing object, and SwiftData merges the two objects.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Objects with values that the store itself changed, by identifier; empty if there are none.
  public let snapshotsToReregister: [PersistentIdentifier: T]

  /// Creates a result; by default, nothing is remapped or changed.
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
  }
}

/// A request to delete objects without fetching them.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: @unchecked Sendable {
  // Predicates are Sendable, but the type parameter hides this from the compiler.

  /// The condition for the deletion of an object; nil deletes all objects.
  public let predicate: Predicate<T>?
  /// Whether objects of subclasses are deleted too.
  public let includeSubclasses: Bool
  /// The context that makes the request; its author may be nil.
  public let editingState: EditingState

  /// Creates a request; only programs that use a store without a context call this initializer.
  public init(
    predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true,
    editingState: EditingState = EditingState()
  ) {
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
    self.editingState = editingState
  }
}

/// The identity of the context that calls a store, and the author, reason and request of the
/// context's transactions.
///
/// No two contexts have the same state, even if their authors are the same.
public struct EditingState: Hashable, Identifiable, Sendable {
  /// A value that identifies the context; no two contexts have the same value.
  public let id: UUID
  /// The author, reason and request of the context's transactions; each may be nil.
  public var transactionContext: TransactionContext
  /// The context's author; nil if it has none.
  public var author: String? {
    get { transactionContext.author }
    set { transactionContext.author = newValue }
  }

  /// Creates a state; only programs that use a store without a context call this initializer.
  public init(author: String? = nil) {
    id = UUID()
    transactionContext = TransactionContext(author: author)
  }
}
