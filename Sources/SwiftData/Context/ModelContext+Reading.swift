import SQLite
import Store

extension ModelContext {
  /// Runs a query over the rows of a store as they are saved.
  func withConnection<Result>(
    to entity: EntityDescription,
    _ body: (Connection) throws -> Result
  ) throws -> Result? {
    guard case .native(let store, _) = container.store(of: entity) else { return nil }
    return try store.read { reader in
      registry.readings[entity.storeIndex].note(reader.head)
      return try body(reader.connection)
    }
  }

  /// Reads a value that is kept in a file beside the store.
  func readExternal(_ digest: String, of state: _ModelState) -> Data? {
    guard let entity = state.entity,
      case .native(let store, _) = container.store(of: entity)
    else { return nil }
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
    if let store = container.customStore(of: entity) {
      report { _ = try fillCustom(state, in: store) }
      return
    }
    let plan = container.plan(of: entity)
    report {
      _ = try withConnection(to: entity) { connection in
        let statement = try connection.cached(
          "SELECT \(plan.selection) FROM \(quoted(entity.table)) AS t0 WHERE t0.id = ?"
        )
        defer { statement.reset() }
        try statement.bind(1, state.row)
        guard try statement.step() else { return }
        let member = try plan.member(of: statement)
        for step in member.steps where !state.changed.contains(step.slot) {
          guard case .empty = state.slots[step.slot] else { continue }
          state.slots[step.slot] = try plan.read(step, from: statement, id: state.row)
        }
      }
    }
  }

  func readModel(for id: PersistentIdentifier) -> (any PersistentModel)? {
    guard let entity = container.map[id.entityName] else { return nil }
    if let store = container.customStore(of: entity) {
      return report {
        try customModels(for: [id], in: store, storeIndex: entity.storeIndex)[id]
      } ?? nil
    }
    guard let row = id.row, row >= 0,
      id.storeIdentifier == container.storeIdentifier(of: entity)
    else { return nil }
    return model(of: entity, row: row)
  }

  /// The object of a row; nil if there is no such row.
  func model(of entity: EntityDescription, row: Int64) -> (any PersistentModel)? {
    if let found = registry[entity, row] { return found }
    if let store = container.customStore(of: entity) {
      return customModel(of: entity, row: row, in: store)
    }
    return report { try models(of: entity, where: "t0.id = ?", bindings: [.integer(row)]) }?.first
  }

  /// The objects that a condition over saved rows selects, in the order of their ids.
  func models(
    of entity: EntityDescription,
    where condition: String,
    bindings: [Value],
    join: String = "",
    order: String = "t0.id"
  ) throws -> [any PersistentModel] {
    let plan = container.plan(of: entity)
    let sql =
      "SELECT \(plan.selection) FROM \(quoted(entity.table)) AS t0 \(join) WHERE \(condition)"
      + " ORDER BY \(order)"
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
    // Snapshots tell both sides of a relationship, rows the side that has the column.
    var isTold = entity.isCustom(in: container)
    if case .column = relationship.storage { isTold = true }
    if isTold {
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
  private func isStill(
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
    // A custom store keeps both sides of a relationship, so that both must be in memory to change.
    if entity.isCustom(in: container) { return relatedModel(of: state, index, row: row) }
    return registry[entity, row]
  }

  private func relatedEntity(of state: _ModelState, _ index: Int) -> EntityDescription? {
    state.entity?.relationships[index].flatMap { container.map[$0.destination] }
  }

  /// Reads the objects that a to-many relationship leads to.
  func load(_ many: ToMany, of state: _ModelState, _ index: Int) {
    guard state.row >= 0, let entity = state.entity,
      let relationship = entity.relationships[index],
      let destination = container.map[relationship.destination]
    else {
      many.load([])
      return
    }
    if let store = container.customStore(of: entity) {
      let property = state.description.properties[index]
      // What can't be read now stays to be read, and the next save or fetch says why.
      report { try loadCustom(many, of: state, property, entity, in: store) }
      if many.isLoaded { hold(many, ownedBy: state, index) }
      return
    }
    let found: [any PersistentModel]?
    switch relationship.storage {
    case .inverseColumn(let column):
      found = report {
        try models(
          of: destination,
          where: "t0.\(quoted(column)) = ?",
          bindings: [.integer(state.row)]
        )
      }
      // What could not be read is read again when it is touched next, and not taken for nothing.
      guard let found else { return }
      many.load(found.filter { isStill($0, destination, column, state) })
    case .joinTable(let table, let source, let target):
      found = report {
        try models(
          of: destination,
          where: "j.\(quoted(source)) = ?",
          bindings: [.integer(state.row)],
          join: "JOIN \(quoted(table)) AS j ON j.\(quoted(target)) = t0.id",
          order: "j.\"position\", t0.id"
        )
      }
      guard let found else { return }
      many.load(found.filter { $0._$state.phase == .stored })
    case .column: many.load([])
    }
    hold(many, ownedBy: state, index)
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
