import Store

/// An object that manages the schema of an app and the stores that its models are kept in.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, Person.self)
/// let context = ModelContext(container)
/// ```
/// The models that relationships lead to need not be named. Opening a store whose schema is an
/// older one migrates it, all or nothing.
public final class ModelContainer: Sendable {
  /// The schema that the container was made for.
  public let schema: Schema
  /// The migration plan that the container was made with.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of the stores that SwiftData keeps itself.
  public let configurations: Set<ModelConfiguration>
  let map: EntityMap
  let stores: [any Backend]
  /// Tells observers of commits.
  let changes: StoreChanges
  private let plans: [ObjectIdentifier: RowPlan]
  private let main = Guarded<MainContext>(MainContext())

  /// The main context, once it was asked for; only the main actor touches it.
  private struct MainContext: @unchecked Sendable {
    var context: ModelContext?
  }

  init(
    schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    stores given: [any DataStoreConfiguration]
  ) throws {
    let configurations: [any DataStoreConfiguration] =
      given.isEmpty ? [ModelConfiguration(schema: schema)] : given
    self.schema = schema
    self.migrationPlan = migrationPlan
    self.configurations = Set(configurations.compactMap { $0 as? ModelConfiguration })
    let plan = try StorePlan(schema: schema, configurations: configurations)
    let map = plan.map
    self.map = map
    plans = Dictionary(
      map.entities.map { (ObjectIdentifier($0), RowPlan($0, in: map)) },
      uniquingKeysWith: { first, _ in first }
    )
    stores = try plan.open(configurations, schema: schema, migrationPlan: migrationPlan)
    changes = StoreChanges(stores)
  }

  /// A context for the main actor, which saves by itself.
  @MainActor public var mainContext: ModelContext {
    main.withLock { main in
      if let context = main.context { return context }
      let context = ModelContext(self)
      context.isMain = true
      context.autosaveEnabled = true
      main.context = context
      return context
    }
  }

  /// Removes all models from all stores.
  @available(*, deprecated, renamed: "erase")
  public func deleteAllData() {
    do { try erase() } catch {
      FileHandle.standardError.write(Data("SwiftData: deleteAllData failed: \(error)\n".utf8))
    }
  }

  /// Removes all models from all stores; history tells of it.
  public func erase() throws {
    let context = ModelContext(self)
    var erased: Set<Int> = []
    for (index, store) in stores.enumerated() where try store.eraseAtOnce() { erased.insert(index) }
    for entity in schema.entities where entity.superentityName == nil {
      guard let description = entity.description, let known = map.entity(of: description),
        !erased.contains(known.storeIndex)
      else { continue }
      try context.deleteAll(description.type)
    }
    try context.save()
  }

  /// How rows of an entity become objects.
  func plan(of entity: EntityDescription) -> RowPlan {
    plans[ObjectIdentifier(entity)] ?? RowPlan(entity, in: map)
  }

  /// How rows become objects of which only some properties are read.
  func plan<T: PersistentModel>(
    of entity: EntityDescription,
    properties: [PartialKeyPath<T>]
  ) -> RowPlan {
    guard !properties.isEmpty else { return plan(of: entity) }
    let slots = properties.compactMap { entity.model.property(for: $0)?.index }
    return RowPlan(entity, in: map, slots: Set(slots))
  }

  func store(of entity: EntityDescription) -> any Backend { stores[entity.storeIndex] }

  func storeIdentifier(of entity: EntityDescription) -> String {
    stores[entity.storeIndex].identifier
  }

  /// The identifiers of all stores, in their order.
  var storeIdentifiers: [String] { stores.map(\.identifier) }
}

extension ModelContainer {
  /// Opens the stores of some models.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      schema: Schema(forTypes),
      migrationPlan: migrationPlan,
      stores: configurations
    )
  }

  /// Opens the stores of some models.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      schema: Schema(forTypes),
      migrationPlan: migrationPlan,
      stores: configurations
    )
  }

  /// Opens the stores of some models, in the spelling of early releases.
  public convenience init(
    for types: [any PersistentModel.Type],
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(schema: Schema(types), migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens the stores of a schema.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens the stores of a schema.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens the stores of a schema.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens the stores of a schema.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens the stores of a schema, in the spelling of early releases.
  public convenience init(
    for givenSchema: Schema,
    _ first: ModelConfiguration,
    _ others: ModelConfiguration...
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: nil, stores: [first] + others)
  }
}

extension ModelContainer: Equatable {
  /// Containers are equal only to themselves.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }
}
