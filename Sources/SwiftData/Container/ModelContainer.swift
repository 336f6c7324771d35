import Store

/// An object that manages the schema of an app and the stores that contain its models.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, Person.self)
/// let context = ModelContext(container)
/// ```
///
/// Models to which a listed model has relationships need not be listed. A store with an older
/// schema is migrated; if the migration fails, the store remains unchanged.
public final class ModelContainer: Sendable {
  /// The models of all stores of the container.
  public let schema: Schema
  /// The migration plan; nil if stores are migrated without a plan.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of native stores; configurations of custom stores are not included.
  public let configurations: Set<ModelConfiguration>
  let map: EntityMap
  let stores: [any Backend]
  let changes: StoreChanges
  private let plans: [ObjectIdentifier: RowPlan]
  private let main = Guarded<MainContext>(MainContext())

  /// The main context; nil before its first use.
  ///
  /// Only the main actor uses the context.
  private struct MainContext: @unchecked Sendable {
    var context: ModelContext?
  }

  init(
    _ plan: StorePlan,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    stores: [any Backend]
  ) {
    schema = plan.schema
    self.migrationPlan = migrationPlan
    configurations = Set(plan.configurations.compactMap { $0 as? ModelConfiguration })
    let map = plan.map
    self.map = map
    plans = Dictionary(
      map.entities.map { (ObjectIdentifier($0), RowPlan($0, in: map)) },
      uniquingKeysWith: { first, _ in first }
    )
    self.stores = stores
    changes = StoreChanges(stores)
  }

  /// The context of the main actor, created at its first use; the context saves automatically.
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

  /// Removes all models from all stores; an error is printed instead of thrown.
  @available(*, deprecated, renamed: "erase")
  public func deleteAllData() {
    do { try erase() } catch {
      FileHandle.standardError.write(Data("SwiftData: deleteAllData failed: \(error)\n".utf8))
    }
  }

  /// Deletes all objects of all stores; the history of a native store records the deletions.
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

  func plan(of entity: EntityDescription) -> RowPlan {
    plans[ObjectIdentifier(entity)] ?? RowPlan(entity, in: map)
  }

  /// The plan that turns rows into objects if a fetch reads only some properties.
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

  var storeIdentifiers: [String] { stores.map(\.identifier) }
}

extension ModelContainer: Equatable {
  /// Whether both values are the same container; two containers with the same stores are not equal.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }
}
