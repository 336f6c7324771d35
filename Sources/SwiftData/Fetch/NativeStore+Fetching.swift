import Changes
import SQLite
import Store

extension NativeStore {
  func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription,
    in context: ModelContext
  ) throws -> [T] {
    let plan = context.container.plan(of: entity, properties: descriptor.propertiesToFetch)
    var models: [T] = []
    try context.query(descriptor, plan) { connection, query in
      let statement = try connection.cached("SELECT \(plan.selection) \(query.tail)")
      defer { statement.reset() }
      try query.bind(to: statement)
      while try statement.step() {
        if let model = try context.materialize(plan, statement) as? T { models.append(model) }
      }
      models = try query.finish(models, descriptor)
    }
    return models
  }

  func count<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription,
    in context: ModelContext
  ) throws -> Int {
    let plan = context.container.plan(of: entity)
    var count = 0
    var needsObjects = false
    try context.query(descriptor.unordered, plan) { connection, query in
      needsObjects = query.isInMemory
      guard !needsObjects else { return }
      let statement = try connection.cached("SELECT count(*) FROM (SELECT 1 \(query.tail))")
      defer { statement.reset() }
      try query.bind(to: statement)
      if try statement.step() { count = Int(statement.int64(at: 0)) }
    }
    return needsObjects ? try context.fetch(descriptor).count : count
  }

  func identifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription,
    in context: ModelContext
  ) throws -> [PersistentIdentifier] {
    let plan = context.container.plan(of: entity)
    let shared = entity.entity.sharesTable
    var identifiers: [PersistentIdentifier] = []
    var needsObjects = false
    try context.query(descriptor, plan) { connection, query in
      needsObjects = query.isInMemory
      guard !needsObjects else { return }
      let statement = try connection.cached(
        "SELECT t0.id\(shared ? ", t0.\"_entity\"" : "") \(query.tail)"
      )
      defer { statement.reset() }
      try query.bind(to: statement)
      while try statement.step() {
        let row = statement.int64(at: 0)
        if row < 0, let model = context.pending.model(row: row) {
          identifiers.append(model.persistentModelID)
          continue
        }
        identifiers.append(
          PersistentIdentifier(
            storeIdentifier: identifier,
            entityName: shared ? statement.string(at: 1) : entity.name,
            key: .number(row)
          )
        )
      }
    }
    return needsObjects ? try context.fetch(descriptor).map(\.persistentModelID) : identifiers
  }

  func delete<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription,
    in context: ModelContext
  ) throws {
    var rows: [Int64] = []
    for identifier in try context.fetchIdentifiers(descriptor) {
      guard let row = identifier.row else { continue }
      if let object = context.registeredAny(for: identifier) {
        context.deleteAny(object)
      } else if row >= 0 {
        rows.append(row)
      }
    }
    guard !rows.isEmpty else { return }
    context.pending.deleteBatch(PendingChanges.BatchDeletion(entity: entity, rows: rows))
    context.overlays[entity.storeIndex]?.needsAllRows = true
    context.scheduleAutosave()
  }
}
