import Format
import SQLite
import Store

extension NativeSession {
  func fetch<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [T] {
    let (plan, context) = (fetch.plan, fetch.context)
    var models: [T] = []
    try query(fetch.descriptor, plan: plan) { connection, query in
      let statement = try connection.cached("SELECT \(plan.selection) \(query.tail)")
      defer { statement.reset() }
      try query.bind(to: statement)
      while try statement.step() {
        if let model = try materialize(plan, row: statement, in: context) as? T {
          models.append(model)
        }
      }
      models = try query.finish(models, descriptor: fetch.descriptor)
    }
    return models
  }

  func count<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> Int {
    let context = fetch.context
    let plan = container.plan(of: fetch.entity)
    var count = 0
    var needsObjects = false
    try query(fetch.descriptor.unordered, plan: plan) { connection, query in
      needsObjects = query.isInMemory
      guard !needsObjects else { return }
      // SQLite ignores the order of a count, but not that of an inner query.
      let statement = try connection.cached(
        query.isCut
          ? "SELECT count(*) FROM (SELECT 1 \(query.tail))" : "SELECT count(*) \(query.tail)"
      )
      defer { statement.reset() }
      try query.bind(to: statement)
      if try statement.step() { count = Int(statement.int64(at: 0)) }
    }
    return needsObjects ? try context.fetch(fetch.descriptor).count : count
  }

  func identifiers<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [PersistentIdentifier] {
    let (context, entity) = (fetch.context, fetch.entity)
    let plan = container.plan(of: entity)
    let shared = entity.entity.sharesTable
    var identifiers: [PersistentIdentifier] = []
    var needsObjects = false
    try query(fetch.descriptor, plan: plan) { connection, query in
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
    return needsObjects ? try context.fetch(fetch.descriptor).map(\.persistentModelID) : identifiers
  }

  /// Reads saved rows in batches with one cursor, which remains open between the batches.
  func enumerate<T: PersistentModel>(
    _ fetch: ContextFetch<T>,
    batchSize: Int,
    _ visit: ([T]) throws -> Void
  ) throws -> Bool {
    let (descriptor, context) = (fetch.descriptor, fetch.context)
    let plan = fetch.plan
    let sources = SQLSources(
      table: { quoted($0) },
      storeIdentifier: identifier
    )
    let query = try FetchQuery(descriptor, plan: plan, map: map, sources: sources)
    guard !query.sortsInMemory else {
      try visit(context.fetch(descriptor))
      return true
    }
    let reader = try store.takeReader()
    defer { store.giveBack(reader) }
    registry.readings[storeIndex].note(reader.head)
    let statement = try reader.connection.prepare("SELECT \(plan.selection) \(query.tail)")
    defer { statement.reset() }
    try query.bind(to: statement)
    var skip = query.offset ?? 0
    var left = query.limit.flatMap { $0 > 0 ? $0 : nil } ?? Int.max
    var more = true
    while more, left > 0 {
      var batch: [T] = []
      while batch.count < min(batchSize, left) {
        more = try statement.step()
        guard more else { break }
        guard let model = try materialize(plan, row: statement, in: context) as? T else { continue }
        if query.filtersInMemory, try descriptor.predicate?.evaluate(model) == false { continue }
        if skip > 0 { skip -= 1 } else { batch.append(model) }
      }
      left -= batch.count
      try visit(batch)
    }
    return true
  }

  func delete<T: PersistentModel>(_ fetch: ContextFetch<T>) throws {
    let (context, entity) = (fetch.context, fetch.entity)
    var rows: [Int64] = []
    for identifier in try context.fetchIdentifiers(fetch.descriptor) {
      guard let row = identifier.row else { continue }
      if let object = context.registeredAny(for: identifier) {
        context.deleteAny(object)
      } else if row >= 0 {
        rows.append(row)
      }
    }
    guard !rows.isEmpty else { return }
    context.pending.deleteBatch(PendingChanges.BatchDeletion(entity: entity, rows: rows))
    overlay?.needsAllRows = true
    context.scheduleAutosave()
  }

  /// Runs the SQL of a fetch on a connection that sees the pending changes that the fetch needs.
  private func query<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    plan: RowPlan,
    _ body: (Connection, FetchQuery) throws -> Void
  ) throws {
    let overlay = descriptor.includePendingChanges ? try syncedOverlay() : nil
    let sources = SQLSources(
      table: { overlay?.source($0) ?? quoted($0) },
      gone: { overlay?.gone($0) },
      order: { overlay?.order(of: $0) ?? "t0.id" },
      storeIdentifier: identifier
    )
    let query = try FetchQuery(descriptor, plan: plan, map: map, sources: sources)
    do {
      if let overlay, !overlay.isShared {
        registry.readings[storeIndex].note(try overlay.head())
        return try body(overlay.connection, query)
      }
      try withConnection { try body(overlay?.connection ?? $0, query) }
    } catch let error as StoreError {
      throw SwiftDataError(error)
    } catch let error as SQLiteError {
      // A failure that would stop a Swift program, for example unwrapping nil, is reported as an
      // error of the query.
      throw failedFetch(of: plan.entity.name, error)
    }
  }

  /// The overlay with the pending changes of the store, brought up to date; nil if there are no
  /// pending changes.
  private func syncedOverlay() throws -> PendingOverlay? {
    let context = context
    guard !context.pending.isEmpty || !context.pending.unsynced.isEmpty else { return nil }
    let states = context.pending.unsynced
    context.pending.unsynced = []
    for state in states { state.isUnsynced = false }
    for index in Set(states.compactMap { $0.entity?.storeIndex }).union([storeIndex]) {
      let session = registry.sessions[index] as? NativeSession
      try session?.sync(states, pending: context.pending)
    }
    return overlay
  }

  private func sync(_ states: [_ModelState], pending: PendingChanges) throws {
    let overlay = try overlay ?? PendingOverlay(store, storeIndex: storeIndex, map: map)
    if self.overlay == nil {
      self.overlay = overlay
      overlay.needsAllRows = !pending.batchDeleted.isEmpty
    }
    try overlay.sync(states, pending: pending)
  }
}

extension ContextFetch {
  fileprivate var plan: RowPlan {
    context.container.plan(of: entity, properties: descriptor.propertiesToFetch)
  }
}

func failedFetch(of what: String, _ error: SQLiteError) -> SwiftDataError {
  SwiftDataError(.unsupportedPredicate, cause: error) {
    "The fetch of \(what) failed: \(error.message)"
  }
}
