import Format

extension ModelContext {
  func readExternal(_ digest: String, of state: _ModelState) -> Data? {
    guard let entity = state.entity else { return nil }
    return report { try container.store(of: entity).externalData(digest) } ?? nil
  }

  /// The object of a row: the object in memory with updated values, or a new object.
  func materialize(
    _ entity: EntityDescription,
    row: Int64,
    storeKey: PersistentIdentifier? = nil,
    values: some StoredValues
  ) throws -> any PersistentModel {
    let registry = registry
    if let model = registry[entity, row] {
      let state = model._$state
      if state.phase == .stored, state.registry === registry {
        try refresh(state, of: model, values: values)
      }
      return model
    }
    let state = _ModelState(entity, row: row, storeKey: storeKey)
    state.registry = registry
    if pending.isBatchDeleted(entity, row: row) { state.phase = .deleting }
    state.reading = registry.readings[entity.storeIndex].number
    try values.fill(state)
    let model = entity.model.make(state)
    registry.add(state.reference(to: model), entity: entity, row: row)
    return model
  }

  /// Updates an object with the values in the store, except values that were changed in this
  /// context.
  func refresh(
    _ state: _ModelState,
    of model: any PersistentModel,
    values: some StoredValues
  ) throws {
    try values.forEach(of: state) { property, new in
      let index = property.index
      switch (state.slots[index], new) {
      case (.value(let old), .value(let new)) where old == new: return
      case (.decoded(let old), .decoded(let new))
      where old.stored != nil && old.stored == new.stored:
        return
      case (.toOne, .toOne(.row(let row))) where state.toOneRow(index) == row: return
      case (.toOne(.none), .toOne(.none)): return
      case (.toMany(let old), .toMany(let new))
      where !old.isNil && !new.isNil && old.knownIdentifiers == new.storedIdentifiers:
        return
      case (.empty, _): state.slots[index] = new
      default: state.notify(model, property: property) { state.slots[index] = new }
      }
    }
    if let entity = state.entity {
      state.forgetRelationships(of: model, before: registry.readings[entity.storeIndex].number)
    }
  }

  func fill(_ state: _ModelState) {
    guard let entity = state.entity, state.row >= 0 else { return }
    report { _ = try session(of: entity).fill(state) }
  }

  func readModel(for id: PersistentIdentifier) -> (any PersistentModel)? {
    guard let entity = container.map[id.entityName] else { return nil }
    return report {
      try session(of: entity).models(for: [id])[id]
    } ?? nil
  }

  func model(of entity: EntityDescription, row: Int64) -> (any PersistentModel)? {
    if let found = registry[entity, row] { return found }
    return report { try session(of: entity).model(of: entity, row: row) } ?? nil
  }

  func readToOne(_ state: _ModelState, at index: Int) -> ToOne? {
    guard let entity = state.entity, entity.relationships[index] != nil else { return ToOne.none }
    return report { try session(of: entity).toOne(of: state, at: index) } ?? nil
  }

  func relatedModel(of state: _ModelState, at index: Int, row: Int64) -> (any PersistentModel)? {
    guard let entity = container.map.destination(of: index, in: state.entity) else { return nil }
    guard row >= 0 else { return pending.model(row: row) }
    guard let model = model(of: entity, row: row) else { return nil }
    let phase = model._$state.phase
    return phase == .deleting || phase == .deleted ? nil : model
  }

  /// The object that a to-one relationship refers to, if the object is in memory.
  func registeredRelative(
    of state: _ModelState,
    at index: Int,
    row: Int64
  ) -> (any PersistentModel)? {
    guard let entity = container.map.destination(of: index, in: state.entity) else { return nil }
    if row < 0 { return pending.model(row: row) }
    // If the store records a relationship on both sides, a change requires both objects in memory.
    // So the other object is read if necessary.
    if session(of: entity).keepsWholeObjects {
      return relatedModel(of: state, at: index, row: row)
    }
    return registry[entity, row]
  }

  func load(_ many: ToMany, of state: _ModelState, at index: Int) {
    guard state.row >= 0, let entity = state.entity,
      let destination = container.map.destination(of: index, in: state.entity)
    else {
      many.load([])
      return
    }
    let property = state.description.properties[index]
    // A property can't throw. A value that could not be read is read again at its next use, and
    // the next save or fetch throws the error.
    report {
      try session(of: entity)
        .load(many, of: state, property: property, destination: destination)
    }
    if many.isLoaded { hold(many, ownedBy: state, at: index) }
  }

  /// A collection keeps its members alive, so a member refers to the owner of the collection
  /// weakly.
  func hold(_ many: ToMany, ownedBy state: _ModelState, at index: Int) {
    guard let inverse = state.description.inverse(of: index), !inverse.property.isToMany,
      let owner = state.model
    else { return }
    let slot = inverse.property.index
    for model in many.models {
      let member = model._$state
      if case .toOne(.object(let other)) = member.slots[slot], other !== owner { continue }
      member.slots[slot] = .toOne(.companion(state.companion(of: owner), row: state.row))
    }
  }

  /// Runs a read for a property, and records an error, because a property can't throw.
  ///
  /// The next save or fetch of the context throws the error.
  @discardableResult
  func report<Result>(_ body: () throws -> Result) -> Result? {
    do { return try body() } catch {
      deferredError =
        error as? SwiftDataError
        ?? SwiftDataError(.loadIssueModelContainer) { "A property could not be read: \(error)" }
      return nil
    }
  }
}

protocol StoredValues {
  /// Calls the closure with the value of each slot, except values that were changed in this
  /// context.
  func forEach(of state: _ModelState, _ body: (PropertyDescription, Slot) throws -> Void) throws
  func fill(_ state: _ModelState) throws
}

extension StoredValues {
  func fillEmpty(_ state: _ModelState) throws {
    try forEach(of: state) { property, slot in
      if case .empty = state.slots[property.index] { state.slots[property.index] = slot }
    }
  }

  func fill(_ state: _ModelState) throws { try fillEmpty(state) }
}
