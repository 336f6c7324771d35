/// An interface that enables SwiftData to read and write models in storage of your own.
///
/// The store exchanges ``DataStoreSnapshot``s, each with the values of one object, and does not use
/// model objects. A context calls it on its own thread; calls never overlap, so the store need not
/// be safe for several threads.
///
/// <doc:CustomStores> has a complete store.
public protocol DataStore: AnyObject {
  /// The type of configurations; its ``DataStoreConfiguration/Store`` must be this type.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// The type of snapshots; ``DefaultSnapshot`` fits all models.
  associatedtype Snapshot: DataStoreSnapshot

  /// The configuration with which the store was opened; its schema is not nil.
  var configuration: Configuration { get }
  /// A text that identifies the store, and never changes.
  var identifier: String { get }
  /// The models of the store; those of the configuration.
  var schema: Schema { get }

  /// Opens the store, and creates it if it does not exist.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// The objects that a request selects.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if the store can't evaluate the predicate,
  /// ``DataStoreError/preferInMemorySort`` if it can't sort. Then it is asked again without, and
  /// SwiftData filters or sorts.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel
  /// The number of objects that a request selects; errors are those of ``DataStore/fetch(_:)``.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
  /// The identifiers of the objects that a request selects; errors are those of
  /// ``DataStore/fetch(_:)``.
  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel
  /// Writes all changes of one save or none, and gives new objects their identities.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>
  /// Removes all objects.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if SwiftData must delete them one by one.
  func erase() throws
  /// Tells the store that a context begins to use it; does nothing by default.
  func initializeState(for editingState: EditingState)
  /// Tells the store that a context no longer uses it; does nothing by default.
  func invalidateState(for editingState: EditingState)
  /// Snapshots that the store has in memory; missing ones are fetched.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// The number of identifiers; the objects are fetched unless the store finds identifiers.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel { try fetchIdentifiers(request).count }

  /// The identifiers in a fetch, without objects of other entities.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    let wanted = _ModelDescription.of(T.self)
    return try fetch(request).fetchedSnapshots.map(\.persistentIdentifier).filter {
      SnapshotEntities.description(of: $0)?.isKind(of: wanted) ?? ($0.entityName == wanted.name)
    }
  }

  /// Throws ``DataStoreError/unsupportedFeature``, so that SwiftData deletes all objects one by
  /// one.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Does nothing by default.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing by default.
  public func invalidateState(for editingState: EditingState) {}

  /// Empty, so that all snapshots are fetched.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// An interface that enables a custom data store to delete objects without fetching them.
public protocol DataStoreBatching: DataStore {
  /// Deletes the objects that a request selects.
  ///
  /// - Throws: A ``DataStoreError`` if SwiftData must delete them one by one.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// An interface for describing a store; ``ModelConfiguration`` describes a native one.
public protocol DataStoreConfiguration: Hashable {
  /// The type of the store; its ``DataStore/Configuration`` must be this type.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration; errors contain it.
  var name: String { get }
  /// The models of the store; nil for all models of the container that no other configuration has.
  ///
  /// If it is nil, the container sets it before it opens the store.
  var schema: Schema? { get set }
  /// Checks the configuration before its store is opened.
  ///
  /// - Throws: Any error, which the container's initializer throws too.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts all configurations by default.
  public func validate() throws {}
}

/// The errors by which a store declines a request; SwiftData then does the work itself if it can.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The predicate can't be evaluated, also not in memory; the fetch fails.
  case invalidPredicate
  /// The store can't evaluate the predicate: SwiftData fetches without it, and filters.
  case preferInMemoryFilter
  /// The store can't sort: SwiftData fetches without an order, and sorts.
  case preferInMemorySort
  /// The store does not support the request, such as a deletion of a batch.
  case unsupportedFeature
}
