import Format
import SQLite
import Store

extension NativeSession {
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try store.read { reader in
      registry.readings[storeIndex].note(reader.head)
      return try body(reader.connection)
    }
  }

  /// The object of a row: the object in memory, or a new object.
  func materialize(
    _ plan: RowPlan,
    row: Statement,
    in context: ModelContext
  ) throws -> any PersistentModel {
    let id = row.int64(at: 0)
    if id < 0, let model = context.pending.model(row: id) { return model }
    let member = try plan.member(of: row)
    return try context.materialize(
      member.entity,
      row: id,
      values: RowValues(plan: plan, steps: member.steps, row: row)
    )
  }

  func fill(_ state: _ModelState) throws -> Bool {
    guard let entity = state.entity else { return false }
    let plan = container.plan(of: entity)
    return try withConnection { connection in
      let statement = try connection.cached(
        "SELECT \(plan.selection) FROM \(quoted(entity.table)) AS t0 WHERE t0.id = ?"
      )
      defer { statement.reset() }
      try statement.bind(1, state.row)
      guard try statement.step() else { return false }
      let steps = try plan.member(of: statement).steps
      try RowValues(plan: plan, steps: steps, row: statement).fillEmpty(state)
      return true
    }
  }

  func registered(_ id: PersistentIdentifier, entity: EntityDescription) -> (any PersistentModel)? {
    guard let row = id.row, row >= 0, id.storeIdentifier == identifier else { return nil }
    return registry[entity, row]
  }

  func read(
    _ identifiers: [PersistentIdentifier],
    into found: inout [PersistentIdentifier: any PersistentModel]
  ) throws {
    let saved = identifiers.filter { $0.storeIdentifier == identifier && $0.row ?? -1 >= 0 }
    for (name, identifiers) in Dictionary(grouping: saved, by: \.entityName) {
      guard let entity = map[name] else { continue }
      if identifiers.count == 1, let row = identifiers[0].row {
        found[identifiers[0]] = try model(of: entity, row: row)
        continue
      }
      for chunk in stride(from: 0, to: identifiers.count, by: 500) {
        let chunk = identifiers[chunk..<min(chunk + 500, identifiers.count)]
        let held = try models(of: entity, where: "t0.id IN (\(list(chunk.compactMap(\.row))))")
        for id in chunk { found[id] = id.row.flatMap { registry[entity, $0] } }
        withExtendedLifetime(held) {}
      }
    }
  }

  func model(of entity: EntityDescription, row: Int64) throws -> (any PersistentModel)? {
    try models(of: entity, where: "t0.id = ?", row: row).first
  }

  /// The objects whose saved rows meet a condition, in the order of their ids.
  func models(
    of entity: EntityDescription,
    where condition: String,
    row: Int64? = nil,
    join: String = ""
  ) throws -> [any PersistentModel] {
    let plan = container.plan(of: entity)
    let sql =
      "SELECT \(plan.selection) FROM \(quoted(entity.table)) AS t0 \(join) WHERE \(condition)"
      + " ORDER BY t0.id"
    return try withConnection { connection in
      let statement = try connection.cached(sql)
      defer { statement.reset() }
      if let row { try statement.bind(1, row) }
      let context = context
      var models: [any PersistentModel] = []
      while try statement.step() {
        models.append(try materialize(plan, row: statement, in: context))
      }
      return models
    }
  }

  func toOne(of state: _ModelState, at index: Int) throws -> ToOne? {
    guard let relationship = state.entity?.relationships[index] else { return ToOne.none }
    switch relationship.storage {
    case .column:
      _ = try fill(state)
      if case .toOne(let reference) = state.slots[index] { return reference }
      return nil
    case .inverseColumn(let column):
      guard let destination = map[relationship.destination] else { break }
      let found = try models(of: destination, where: "t0.\(quoted(column)) = ?", row: state.row)
      return found.first { isStill($0, entity: destination, column: column, owner: state) }.map {
        .object($0)
      }
        ?? ToOne.none
    case .joinTable: break
    }
    return ToOne.none
  }

  /// Whether the object still refers to the owner, and was not moved to another owner.
  private func isStill(
    _ model: any PersistentModel,
    entity: EntityDescription,
    column: String,
    owner: _ModelState
  ) -> Bool {
    let state = model._$state
    guard state.phase == .stored else { return false }
    guard let position = entity.columnNames.firstIndex(of: column),
      let slot = entity.slots[position], state.changed.contains(slot)
    else { return true }
    return state.toOneRow(slot) == owner.row
  }

  func load(
    _ many: ToMany,
    of state: _ModelState,
    property: PropertyDescription,
    destination: EntityDescription
  ) throws {
    switch state.entity?.relationships[property.index]?.storage {
    case .inverseColumn(let column):
      let found = try models(of: destination, where: "t0.\(quoted(column)) = ?", row: state.row)
      many.load(found.filter { isStill($0, entity: destination, column: column, owner: state) })
    case .joinTable(let table, let source, let target):
      let found = try models(
        of: destination,
        where: "j.\(quoted(source)) = ?",
        row: state.row,
        join: "JOIN \(quoted(table)) AS j ON j.\(quoted(target)) = t0.id"
      )
      many.load(found.filter { $0._$state.phase == .stored })
    case .column, nil: many.load([])
    }
  }
}

private struct RowValues: StoredValues {
  let plan: RowPlan
  let steps: [RowPlan.Step]
  let row: Statement

  func fill(_ state: _ModelState) throws { try plan.fill(state, steps: steps, from: row) }

  func forEach(
    of state: _ModelState,
    _ body: (PropertyDescription, Slot) throws -> Void
  ) throws {
    for step in steps where !state.changed.contains(step.slot) {
      try body(step.property, try plan.read(step, from: row, id: state.row))
    }
  }
}
