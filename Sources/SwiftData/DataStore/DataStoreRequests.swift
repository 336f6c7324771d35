/// A request for the objects that a descriptor describes.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// What is wanted.
  public let descriptor: FetchDescriptor<T>
  /// The context that asks.
  public let editingState: EditingState

  /// Makes a request, for calling a store by hand.
  public init(descriptor: FetchDescriptor<T>, editingState: EditingState = EditingState()) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// What a store found.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>:
  Sendable
{
  /// What was wanted.
  public let descriptor: FetchDescriptor<ModelType>
  /// The objects, in the order asked for.
  public let fetchedSnapshots: [SnapshotType]
  /// Objects that those lead to, by their identifiers, which need not be asked for again.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Makes a result.
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

/// The changes of one save.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// The context that saves.
  public let editingState: EditingState
  /// New objects, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// Changed objects, with all their values.
  public let updated: [SnapshotType]
  /// Objects to delete.
  public let deleted: [SnapshotType]

  /// Makes a request, for calling a store by hand.
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

/// What came of a save.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The store that saved.
  public let storeIdentifier: String
  /// The permanent identifiers of new objects, by their temporary ones.
  ///
  /// A new object that the store found to be one that it has, by a unique value, gets the
  /// identifier of that one: both are then the same object.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Objects whose values the store changed, by their identifiers.
  public let snapshotsToReregister: [PersistentIdentifier: T]

  /// Makes a result.
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
  // Predicates are Sendable; the type parameter alone hides it.

  /// The objects to delete; nil for all.
  public let predicate: Predicate<T>?
  /// True if objects of subclasses are meant too.
  public let includeSubclasses: Bool
  /// The context that asks.
  public let editingState: EditingState

  /// Makes a request, for calling a store by hand.
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

/// What a store knows of the context that asks.
public struct EditingState: Hashable, Identifiable, Sendable {
  /// Tells contexts apart.
  public let id: UUID
  /// The author whose changes these are.
  public var author: String?

  /// Makes the state of somebody who is no context, for calling a store by hand.
  public init(author: String? = nil) {
    id = UUID()
    self.author = author
  }
}
