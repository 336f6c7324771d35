/// An interface that enables SwiftData to read and write models in storage of your own.
///
/// A store takes and gives ``DataStoreSnapshot``s, the values of one object each, and knows nothing
/// of model objects. A context calls it from its own thread; calls of several contexts follow each
/// other and never overlap, so that a store need not be safe to use from several threads.
///
/// ```swift
/// final class JSONStore: DataStore {
///   typealias Configuration = JSONStoreConfiguration
///   typealias Snapshot = DefaultSnapshot
///   // …
/// }
/// let container = try ModelContainer(for: Trip.self, configurations: JSONStoreConfiguration(…))
/// ```
public protocol DataStore: AnyObject {
  /// What describes a store of this type.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
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
  ///
  /// A store that can't evaluate the predicate throws ``DataStoreError/preferInMemoryFilter``, one
  /// that can't sort ``DataStoreError/preferInMemorySort``: it is then asked again without, and
  /// SwiftData does the rest.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel
  /// Counts the objects that a request asks for.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
  /// Finds the identifiers of the objects that a request asks for.
  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel
  /// Writes the changes of one save, all or none, and gives new objects their identities.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>
  /// Removes everything.
  func erase() throws
  /// Learns that a context will work with the store.
  func initializeState(for editingState: EditingState)
  /// Learns that a context is gone.
  func invalidateState(for editingState: EditingState)
  /// Objects that the store can give without being asked for them by a fetch.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Counts by fetching.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel { try fetchIdentifiers(request).count }

  /// Finds identifiers by fetching, and leaves objects of other entities out.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    let wanted = _ModelDescription.of(T.self)
    return try fetch(request).fetchedSnapshots.map(\.persistentIdentifier).filter {
      SnapshotEntities.description(of: $0)?.isKind(of: wanted) ?? ($0.entityName == wanted.name)
    }
  }

  /// Refuses; SwiftData then deletes all objects one by one.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Nothing.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// An interface that enables a custom data store to support batch requests.
public protocol DataStoreBatching: DataStore {
  /// Deletes the objects that a request asks for.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// An interface for describing a store.
public protocol DataStoreConfiguration: Hashable {
  /// The type of the store.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration.
  var name: String { get }
  /// The models that it is for; nil for all models of the container that no other has.
  ///
  /// A container that finds nil here puts those models in before it makes the store.
  var schema: Schema? { get set }
  /// Checks the description before a store is made of it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts everything.
  public func validate() throws {}
}

/// What a store says when it is asked for something that it can't do.
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
