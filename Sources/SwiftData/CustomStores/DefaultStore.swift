import Format

/// The store that ``ModelConfiguration`` describes: a SQLite file with a history.
///
/// A ``ModelContainer`` opens the store, and contexts use its rows directly. A program that opens
/// the store without a container exchanges snapshots with it, as with any ``DataStore``.
///
/// ```swift
/// let store = try DefaultStore(ModelConfiguration(schema: Schema([Trip.self])))
/// let found = try store.fetch(DataStoreFetchRequest(descriptor: FetchDescriptor<Trip>()))
/// ```
public final class DefaultStore: DataStoreBatching, Sendable {
  /// The type of the store's snapshots, which fits all models.
  public typealias Snapshot = DefaultSnapshot
  /// The type of the store's configuration; always ``ModelConfiguration``.
  public typealias Configuration = ModelConfiguration

  /// The configuration with which the store was opened; its schema is not nil.
  public let configuration: ModelConfiguration
  /// The models of the store, the same as in its configuration.
  public let schema: Schema
  /// The name of the configuration, not of the file.
  public let name: String
  let container: ModelContainer

  /// Opens the store, or creates it if it does not exist.
  ///
  /// - Throws: A ``SwiftDataError``, also if the configuration has no schema.
  public init(
    _ configuration: ModelConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(.unknownSchema) {
        "The configuration \(configuration.name) does not have a schema, so a store can't be opened"
          + " with it."
          + "\nGive the configuration a schema, or create a ModelContainer, which sets the schema."
      }
    }
    self.configuration = configuration
    self.schema = schema
    name = configuration.name
    container = try ModelContainer(
      schema: schema,
      migrationPlan: migrationPlan,
      store: configuration
    )
    let models = container.map.entities.map(\.model).keyed(by: \.name)
    SnapshotEntities.register(Array(models.values))
    SnapshotEntities.register(models, ofStore: identifier)
  }

  /// The UUID of the store, which never changes; if the schema is empty, the name of the
  /// configuration.
  public var identifier: String {
    container.map.entities.first.map { container.storeIdentifier(of: $0) } ?? name
  }

  /// A context for one call of the store, with the author, reason and request of the caller.
  func context(for editingState: EditingState) -> ModelContext {
    let context = ModelContext(container)
    context.transactionContext = editingState.transactionContext
    return context
  }

  /// The objects that a request selects; empty if there are none.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    let models = try context(for: request.editingState).fetch(request.descriptor)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: try models.map { DefaultSnapshot(try SnapshotValues($0._$state)) }
    )
  }

  /// The number of objects that a request selects, without reading them.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    try context(for: request.editingState).fetchCount(request.descriptor)
  }

  /// The identifiers of the objects that a request selects, without their values.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try context(for: request.editingState).fetchIdentifiers(request.descriptor)
  }

  /// Deletes all objects that a request selects, in one transaction with its history.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws
  where T: PersistentModel {
    let context = context(for: request.editingState)
    try context.delete(
      model: T.self,
      where: request.predicate,
      includeSubclasses: request.includeSubclasses
    )
    try context.save()
  }

  /// Deletes all objects; the deletion is recorded in the history.
  public func erase() throws { try container.erase() }
}

extension ModelConfiguration: DataStoreConfiguration {
  /// The type of the store; a custom configuration declares another type.
  public typealias Store = DefaultStore
}
