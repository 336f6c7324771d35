import Changes
import SQLite
import Store

extension ModelContext {
  /// Runs a query over the rows of a store as they are saved.
  func withConnection<Result>(
    to entity: EntityDescription,
    _ body: (Connection) throws -> Result
  ) throws -> Result? {
    guard let store = container.nativeStore(of: entity) else { return nil }
    return try store.read { reader in
      registry.readings[entity.storeIndex].note(reader.head)
      return try body(reader.connection)
    }
  }

  /// Reads a value that is kept in a file beside the store.
  func readExternal(_ digest: String, of state: _ModelState) -> Data? {
    guard let entity = state.entity, let store = container.nativeStore(of: entity) else {
      return nil
    }
    return report { try store.read { try $0.externalData(digest) } }
  }

  // MARK: One object

  /// The object of a row: the one in memory, or a new one of the row's values.
  func materialize(_ plan: RowPlan, _ row: Statement) throws -> any PersistentModel {
    let id = row.int64(at: 0)
    if id < 0, let model = pending.model(row: id) { return model }
    let registry = registry
    let member = try plan.member(of: row)
    if let model = registry[member.entity, id] {
      let state = model._$state
      if state.phase == .stored, state.context === self {
        try refresh(state, of: model, plan, member.steps, from: row)
      }
      return model
    }
    let state = _ModelState(member.entity, row: id)
    state.registry = registry
    if pending.isBatchDeleted(member.entity, id) { state.phase = .deleting }
    state.reading = registry.readings[member.entity.storeIndex].number
    try plan.fill(state, member.steps, from: row)
    let model = member.entity.model.make(state)
    registry.add(state.reference(to: model), member.entity, row: id)
    return model
  }

  /// Brings an object up to what the store has, as far as it was not changed here.
  private func refresh(
    _ state: _ModelState,
    of model: any PersistentModel,
    _ plan: RowPlan,
    _ steps: [RowPlan.Step],
    from row: Statement
  ) throws {
    for step in steps where !state.changed.contains(step.slot) {
      let new = try plan.read(step, from: row, id: state.row)
      switch (state.slots[step.slot], new) {
      case (.value(let old), .value(let new)) where old == new: continue
      case (.decoded(let old), .decoded(let new))
      where old.stored != nil && old.stored == new.stored:
        continue
      case (.toOne, .toOne(.row(let row))) where state.toOneRow(step.slot) == row: continue
      case (.toOne(.none), .toOne(.none)): continue
      case (.empty, _): state.slots[step.slot] = new
      default: state.notify(model, step.property) { state.slots[step.slot] = new }
      }
    }
    if let entity = state.entity {
      state.forgetRelationships(of: model, before: registry.readings[entity.storeIndex].number)
    }
  }

  /// Reads the values of an object that was fetched without them, or whose changes were forgotten.
  func fill(_ state: _ModelState) {
    guard let entity = state.entity, state.row >= 0 else { return }
    report { _ = try container.store(of: entity).fill(state, in: self) }
  }

  func readModel(for id: PersistentIdentifier) -> (any PersistentModel)? {
    guard let entity = container.map[id.entityName] else { return nil }
    return report {
      try container.store(of: entity).models(for: [id], storeIndex: entity.storeIndex, in: self)[id]
    } ?? nil
  }

  /// The object of a row; nil if there is no such row.
  func model(of entity: EntityDescription, row: Int64) -> (any PersistentModel)? {
    if let found = registry[entity, row] { return found }
    return report { try container.store(of: entity).model(of: entity, row: row, in: self) } ?? nil
  }

  /// The objects that a condition over saved rows selects, in the order of their ids.
  func models(
    of entity: EntityDescription,
    where condition: String,
    bindings: [Value],
    join: String = ""
  ) throws -> [any PersistentModel] {
    let plan = container.plan(of: entity)
    let sql =
      "SELECT \(plan.selection) FROM \(quoted(entity.table)) AS t0 \(join) WHERE \(condition)"
      + " ORDER BY t0.id"
    return try withConnection(to: entity) { connection in
      let statement = try connection.cached(sql)
      defer { statement.reset() }
      for (index, value) in bindings.enumerated() {
        try statement.bind(Int32(index + 1), value: value)
      }
      var models: [any PersistentModel] = []
      while try statement.step() { models.append(try materialize(plan, statement)) }
      return models
    } ?? []
  }

  // MARK: Relationships

  /// Reads what a to-one relationship leads to.
  func readToOne(_ state: _ModelState, _ index: Int) -> ToOne? {
    guard let entity = state.entity, let relationship = entity.relationships[index] else {
      return ToOne.none
    }
    var isKept = container.store(of: entity).keepsBothSides
    if case .column = relationship.storage { isKept = true }
    if isKept {
      fill(state)
      if case .toOne(let reference) = state.slots[index] { return reference }
      return nil
    }
    guard case .inverseColumn(let column) = relationship.storage,
      let destination = container.map[relationship.destination]
    else { return ToOne.none }
    let found = report {
      try models(
        of: destination,
        where: "t0.\(quoted(column)) = ?",
        bindings: [.integer(state.row)]
      )
    }
    guard let found else { return nil }
    guard let model = found.first(where: { isStill($0, destination, column, state) }) else {
      return ToOne.none
    }
    return .object(model)
  }

  /// False for an object that was led elsewhere since it was saved.
  func isStill(
    _ model: any PersistentModel,
    _ entity: EntityDescription,
    _ column: String,
    _ owner: _ModelState
  ) -> Bool {
    let state = model._$state
    guard state.phase == .stored else { return false }
    guard let position = entity.columnNames.firstIndex(of: column),
      let slot = entity.slots[position], state.changed.contains(slot)
    else { return true }
    return state.toOneRow(slot) == owner.row
  }

  /// The object that a to-one relationship leads to by its row.
  func relatedModel(of state: _ModelState, _ index: Int, row: Int64) -> (any PersistentModel)? {
    guard let entity = relatedEntity(of: state, index) else { return nil }
    guard row >= 0 else { return pending.model(row: row) }
    guard let model = model(of: entity, row: row) else { return nil }
    let phase = model._$state.phase
    return phase == .deleting || phase == .deleted ? nil : model
  }

  /// The object that a to-one relationship leads to, if it is in memory.
  func registeredRelative(
    of state: _ModelState,
    _ index: Int,
    row: Int64
  ) -> (any PersistentModel)? {
    guard let entity = relatedEntity(of: state, index) else { return nil }
    if row < 0 { return pending.model(row: row) }
    // Where both sides keep a relationship, both must be in memory to change.
    if container.store(of: entity).keepsBothSides {
      return relatedModel(of: state, index, row: row)
    }
    return registry[entity, row]
  }

  private func relatedEntity(of state: _ModelState, _ index: Int) -> EntityDescription? {
    state.entity?.relationships[index].flatMap { container.map[$0.destination] }
  }

  /// Reads the objects that a to-many relationship leads to.
  func load(_ many: ToMany, of state: _ModelState, _ index: Int) {
    guard state.row >= 0, let entity = state.entity,
      let destination = relatedEntity(of: state, index)
    else {
      many.load([])
      return
    }
    let property = state.description.properties[index]
    // What could not be read is read again when it is touched next, and the next save or fetch says
    // why.
    report {
      try container.store(of: entity).load(many, of: state, property, destination, in: self)
    }
    if many.isLoaded { hold(many, ownedBy: state, index) }
  }

  /// The collection keeps its objects alive, so they must not keep its owner alive.
  func hold(_ many: ToMany, ownedBy state: _ModelState, _ index: Int) {
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

  /// Runs what reads on behalf of a property, which can't throw: an error is reported, and the
  /// next save or fetch of the context throws it.
  @discardableResult
  func report<Result>(_ body: () throws -> Result) -> Result? {
    do { return try body() } catch {
      let known = error as? SwiftDataError
      deferredError =
        known ?? SwiftDataError(.loadIssueModelContainer, "A property could not be read: \(error)")
      return nil
    }
  }
}
