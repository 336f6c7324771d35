import Changes
import SQLite
import Store

extension ModelContext {
  /// Fetches the models that a descriptor describes; changes that are not saved are seen.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    let entity = try entity(of: T.self)
    let models: [T] = try container.store(of: entity).fetch(descriptor, entity, in: self)
    try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models)
    return models
  }

  /// Counts the models that a descriptor describes.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    let entity = try entity(of: T.self)
    return try container.store(of: entity).count(descriptor, entity, in: self)
  }

  /// Fetches the identifiers of the models that a descriptor describes.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    let entity = try entity(of: T.self)
    return try container.store(of: entity).identifiers(descriptor, entity, in: self)
  }

  // MARK: Common ways

  func entity<T: PersistentModel>(of type: T.Type) throws -> EntityDescription {
    if let error = deferredError {
      deferredError = nil
      throw error
    }
    if autosaveEnabled, !isMain, hasChanges { try save() }
    if let entity = container.map.entity(of: type) { return entity }
    throw SwiftDataError(
      .unknownEntity,
      "The container has no model \(_ModelDescription.of(type).name). Add "
        + "\(_ModelDescription.of(type).name).self to the schema of the container."
    )
  }

  /// Makes the SQL of a fetch, and runs it where it sees the pending changes that it should.
  func query<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ plan: RowPlan,
    _ body: (Connection, FetchQuery) throws -> Void
  ) throws {
    let overlay = descriptor.includePendingChanges ? try syncedOverlay(plan.entity) : nil
    let sources = SQLSources(
      table: { overlay?.source($0) ?? quoted($0) },
      joinTable: { overlay?.source($0) ?? quoted($0) },
      gone: { overlay?.gone($0) },
      order: { overlay?.order(of: $0) ?? "t0.id" },
      storeIdentifier: container.storeIdentifier(of: plan.entity)
    )
    let query = try FetchQuery(descriptor, plan, map: container.map, sources: sources)
    do {
      if let overlay, !overlay.isShared {
        registry.readings[plan.entity.storeIndex].note(try overlay.head())
        return try body(overlay.connection, query)
      }
      _ = try withConnection(to: plan.entity) { connection in
        try body(overlay?.connection ?? connection, query)
      }
    } catch let error as StoreError {
      throw SwiftDataError(error)
    } catch let error as SQLiteError {
      // What Swift would stop at, such as unwrapping nil, is an error of the query.
      throw SwiftDataError(
        .unsupportedPredicate,
        "The fetch of \(plan.entity.name) failed: \(error.message)",
        cause: error
      )
    }
  }

  /// The overlay of the pending changes of a store, up to date; nil if there are none.
  private func syncedOverlay(_ entity: EntityDescription) throws -> PendingOverlay? {
    guard !pending.isEmpty || !pending.unsynced.isEmpty,
      let store = container.nativeStore(of: entity)
    else { return nil }
    let states = pending.unsynced
    pending.unsynced = []
    for state in states { state.isUnsynced = false }
    for index in Set(states.compactMap { $0.entity?.storeIndex })
      .union([entity.storeIndex])
    {
      guard let other = (container.stores[index] as? NativeStore)?.store else { continue }
      if overlays[index] == nil {
        overlays[index] = try PendingOverlay(
          index == entity.storeIndex ? store : other,
          storeIndex: index,
          map: container.map
        )
        overlays[index]?.needsAllRows = !pending.batchDeleted.isEmpty
      }
      try overlays[index]?.sync(states, pending)
    }
    return overlays[entity.storeIndex]
  }
}

extension FetchDescriptor {
  /// The same without an order, which a count doesn't need.
  var unordered: FetchDescriptor<T> {
    var copy = self
    copy.sortBy = []
    return copy
  }
}
