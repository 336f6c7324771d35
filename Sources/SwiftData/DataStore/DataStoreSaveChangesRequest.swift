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
