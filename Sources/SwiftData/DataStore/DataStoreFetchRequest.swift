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
