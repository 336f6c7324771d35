import Store

/// The store that ``ModelConfiguration`` describes: an SQLite file with a history.
///
/// A ``ModelContainer`` opens it; contexts then work with it directly.
public final class DefaultStore: DataStore {
  /// The values of one object.
  public typealias Snapshot = DefaultSnapshot
  /// The description of the store.
  public typealias Configuration = ModelConfiguration

  /// The description that the store was made of.
  public let configuration: ModelConfiguration
  /// The models that the store keeps.
  public let schema: Schema
  private let container: ModelContainer

  /// Opens the store; the configuration must have a schema.
  public init(
    _ configuration: ModelConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .unknownSchema,
        "The configuration \(configuration.name) has no schema, so no store can be made of it "
          + "alone. Give it one, or make a ModelContainer.")
    }
    self.configuration = configuration
    self.schema = schema
    container = try ModelContainer(
      schema: schema, migrationPlan: migrationPlan, stores: [configuration])
  }

  /// The text that tells the store from all others.
  public var identifier: String {
    schema.entities.first.flatMap { container.map[$0.name] }
      .map { container.storeIdentifier(of: $0) } ?? configuration.name
  }

  /// The name of the store.
  public var name: String { configuration.name }

  /// Finds the objects that a request asks for.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let models = try ModelContext(container).fetch(request.descriptor)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: try models.map { try DefaultSnapshot($0) })
  }

  /// Refuses: contexts write to a store of this type directly.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    throw DataStoreError.unsupportedFeature
  }

  /// Removes everything.
  public func erase() throws { try container.erase() }
}
