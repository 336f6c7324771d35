/// The store that ``ModelConfiguration`` describes: an SQLite file with a history.
///
/// A ``ModelContainer`` opens it, and contexts then work with its rows directly. Made by hand, it
/// can be used as any other ``DataStore``, by snapshots.
public final class DefaultStore: DataStoreBatching, Sendable {
  /// The values of one object.
  public typealias Snapshot = DefaultSnapshot
  /// The description of the store.
  public typealias Configuration = ModelConfiguration

  /// The description that the store was made of.
  public let configuration: ModelConfiguration
  /// The models that the store keeps.
  public let schema: Schema
  /// The name of the store.
  public let name: String
  let container: ModelContainer

  /// Opens the store; the configuration must have a schema.
  public init(
    _ configuration: ModelConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(.configurationHasNoSchema(configuration.name))
    }
    self.configuration = configuration
    self.schema = schema
    name = configuration.name
    container = try ModelContainer(
      schema: schema,
      migrationPlan: migrationPlan,
      stores: [configuration]
    )
    let models = container.map.entities.map(\.model).keyed(by: \.name)
    SnapshotEntities.register(Array(models.values))
    SnapshotEntities.register(models, ofStore: identifier)
  }

  /// The text that tells the store from all others.
  public var identifier: String {
    container.map.entities.first.map { container.storeIdentifier(of: $0) } ?? name
  }

  /// A context for one request, in the name of the author who made it.
  func context(for editingState: EditingState) -> ModelContext {
    let context = ModelContext(container)
    context.author = editingState.author
    return context
  }

  /// Finds the objects that a request asks for.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    let models = try context(for: request.editingState).fetch(request.descriptor)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: try models.map { DefaultSnapshot(try SnapshotValues($0._$state)) }
    )
  }

  /// Counts the objects that a request asks for.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    try context(for: request.editingState).fetchCount(request.descriptor)
  }

  /// Finds the identifiers of the objects that a request asks for.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try context(for: request.editingState).fetchIdentifiers(request.descriptor)
  }

  /// Deletes the objects that a request asks for, in one transaction.
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

  /// Removes everything; history tells of it.
  public func erase() throws { try container.erase() }
}
