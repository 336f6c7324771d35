/// A request for the objects that a descriptor describes.
public struct DataStoreFetchRequest<T: PersistentModel> {
  /// What is wanted.
  public var descriptor: FetchDescriptor<T>
  /// The context that asks.
  public var editingState: EditingState

  /// Makes a request.
  public init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// What a store found.
public struct DataStoreFetchResult<T: PersistentModel, Snapshot: DataStoreSnapshot> {
  /// The request.
  public var descriptor: FetchDescriptor<T>
  /// The objects, in the order asked for.
  public var fetchedSnapshots: [Snapshot]
  /// Objects that those lead to, by their identifiers.
  public var relatedSnapshots: [PersistentIdentifier: Snapshot]

  /// Makes a result.
  public init(
    descriptor: FetchDescriptor<T>,
    fetchedSnapshots: [Snapshot],
    relatedSnapshots: [PersistentIdentifier: Snapshot] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The changes of one save.
public struct DataStoreSaveChangesRequest<Snapshot: DataStoreSnapshot> {
  /// The context that saves.
  public var editingState: EditingState
  /// New objects, with temporary identifiers.
  public var inserted: [Snapshot]
  /// Changed objects.
  public var updated: [Snapshot]
  /// Objects to delete.
  public var deleted: [Snapshot]

  /// Makes a request.
  public init(
    editingState: EditingState, inserted: [Snapshot], updated: [Snapshot], deleted: [Snapshot]
  ) {
    self.editingState = editingState
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }
}

/// What came of a save.
public struct DataStoreSaveChangesResult<Snapshot: DataStoreSnapshot> {
  /// The store that saved.
  public var storeIdentifier: String
  /// The permanent identifiers of new objects, by their temporary ones.
  public var remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Objects whose values the store changed.
  public var snapshotsToReregister: [PersistentIdentifier: Snapshot]

  /// Makes a result.
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: Snapshot] = [:]
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

  /// Makes a request.
  public init(predicate: Predicate<T>?, includeSubclasses: Bool, editingState: EditingState) {
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
    self.editingState = editingState
  }
}
