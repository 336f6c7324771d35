/// An interface that enables SwiftData to read and write models in your own storage.
///
/// The store exchanges ``DataStoreSnapshot``s with contexts, and never receives model objects. Each
/// snapshot contains the values of one object. A context calls the store on the context's own
/// thread. Calls never overlap, so the store need not be thread-safe.
///
/// <doc:CustomStores> shows a complete store.
public protocol DataStore: AnyObject {
  /// The type of configurations; its ``DataStoreConfiguration/Store`` must be the type of this
  /// store.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// The type of snapshots; ``DefaultSnapshot`` fits all models.
  associatedtype Snapshot: DataStoreSnapshot

  /// The configuration with which the store was opened; its schema is not nil.
  var configuration: Configuration { get }
  /// A text that identifies the store, and never changes.
  var identifier: String { get }
  /// The models of the store; the same as in its configuration.
  var schema: Schema { get }

  /// Opens the store, and creates it if it does not exist.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// The objects that a request selects.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if the store can't evaluate the predicate,
  /// or ``DataStoreError/preferInMemorySort`` if the store can't sort. SwiftData then sends the
  /// request again without a predicate or an order, and filters or sorts the result itself.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel
  /// The number of objects that a request selects; throws the same errors as
  /// ``DataStore/fetch(_:)``.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
  /// The identifiers of the objects that a request selects; throws the same errors as
  /// ``DataStore/fetch(_:)``.
  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel
  /// Writes either all changes of one save or none of them, and assigns identities to new objects.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>
  /// Removes all objects.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the store can't remove all objects in one
  /// operation. SwiftData then deletes the objects one by one.
  func erase() throws
  /// Tells the store that a context begins to use the store; does nothing by default.
  func initializeState(for editingState: EditingState)
  /// Tells the store that a context no longer uses the store; does nothing by default.
  func invalidateState(for editingState: EditingState)
  /// The snapshots of the given objects that the store has in memory; SwiftData fetches the missing
  /// ones.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// The number of objects that a request selects.
  ///
  /// The default implementation fetches the identifiers of the objects, and counts them.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel { try fetchIdentifiers(request).count }

  /// The identifiers of the fetched objects, except objects of other entities.
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

  /// Returns no snapshots by default, so that SwiftData fetches all of them.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// An interface that enables a custom data store to delete objects without fetching them.
public protocol DataStoreBatching: DataStore {
  /// Deletes the objects that a request selects.
  ///
  /// - Throws: A ``DataStoreError`` if the store can't delete objects without a fetch. SwiftData
  /// then deletes the objects one by one.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// An interface for describing a store; ``ModelConfiguration`` describes a native store.
public protocol DataStoreConfiguration: Hashable {
  /// The type of the store; its ``DataStore/Configuration`` must be this type.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration in errors; the name need not be unique.
  var name: String { get }
  /// The models of the store; nil for all models of the container that are not in another
  /// configuration.
  ///
  /// If the schema is nil, the container sets the schema before it opens the store.
  var schema: Schema? { get set }
  /// Checks the configuration before its store is opened.
  ///
  /// - Throws: An error of any type. The initializer of the container throws the same error.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts all configurations by default.
  public func validate() throws {}
}

/// The errors with which a store declines a request; SwiftData then does the work itself if
/// possible.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The predicate can be evaluated neither by the store nor in memory; the fetch fails.
  case invalidPredicate
  /// The store can't evaluate the predicate: SwiftData fetches without the predicate and filters
  /// the objects.
  case preferInMemoryFilter
  /// The store can't sort: SwiftData fetches without an order and sorts the objects.
  case preferInMemorySort
  /// The store does not support the request, for example a batch deletion.
  case unsupportedFeature
}
