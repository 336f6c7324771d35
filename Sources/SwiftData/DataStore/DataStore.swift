/// An interface that enables SwiftData to keep models in storage of your own.
public protocol DataStore: AnyObject {
  /// What describes a store of this type.
  associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
  /// The values of one object, as the store takes and gives them.
  associatedtype Snapshot: DataStoreSnapshot

  /// The description that the store was made of.
  var configuration: Configuration { get }
  /// A text that tells the store from all others, and stays the same.
  var identifier: String { get }
  /// The models that the store keeps.
  var schema: Schema { get }

  /// Opens the store.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Finds the objects that a request asks for.
  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot>
  /// Counts the objects that a request asks for.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
  /// Finds the identifiers of the objects that a request asks for.
  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier]
  /// Writes the changes of one save, all or none.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>
  /// Removes everything.
  func erase() throws
  /// Learns that a context will work with the store.
  func initializeState(for editingState: EditingState)
  /// Learns that a context is gone.
  func invalidateState(for editingState: EditingState)
  /// Objects that a context may keep without asking again.
  func cachedSnapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Counts by fetching.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetch(request).fetchedSnapshots.count
  }
  /// Finds identifiers by fetching.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }
  /// Refuses.
  public func erase() throws {
    throw DataStoreError.unsupportedFeature
  }
  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}
  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}
  /// Nothing.
  public func cachedSnapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// An interface for describing a store.
public protocol DataStoreConfiguration: Hashable {
  /// The type of the store.
  associatedtype Store: DataStore where Store.Configuration == Self

  /// The name of the configuration.
  var name: String { get }
  /// The models that it is for; nil for all models of the container that no other has.
  var schema: Schema? { get set }
  /// Checks the description before a store is made of it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts everything.
  public func validate() throws {}
}

/// A store that can delete objects without fetching them.
public protocol DataStoreBatching: DataStore {
  /// Deletes the objects that a request asks for.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// What is asked of a store that can't do it.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The predicate can't be evaluated at all.
  case invalidPredicate
  /// The predicate can't be evaluated by the store: SwiftData filters what it fetches without.
  case preferInMemoryFilter
  /// The order can't be made by the store: SwiftData sorts what it fetches without.
  case preferInMemorySort
  /// The store does not do that.
  case unsupportedFeature
}

/// What a store knows of the context that asks.
public struct EditingState: Hashable, Identifiable, Sendable {
  /// Tells contexts apart.
  public let id: UUID
  /// The author whose changes these are.
  public var author: String?

  init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
