import Changes
import Store

extension NativeStore: Backend {
  var keepsBothSides: Bool { false }
  var isWrittenLast: Bool { false }

  func fill(_ state: _ModelState, in context: ModelContext) throws -> Bool {
    guard let entity = state.entity else { return false }
    let plan = context.container.plan(of: entity)
    return try context.withConnection(to: entity) { connection in
      let statement = try connection.cached(
        "SELECT \(plan.selection) FROM \(quoted(entity.table)) AS t0 WHERE t0.id = ?"
      )
      defer { statement.reset() }
      try statement.bind(1, state.row)
      guard try statement.step() else { return false }
      let member = try plan.member(of: statement)
      for step in member.steps where !state.changed.contains(step.slot) {
        guard case .empty = state.slots[step.slot] else { continue }
        state.slots[step.slot] = try plan.read(step, from: statement, id: state.row)
      }
      return true
    } ?? false
  }

  func registered(
    _ id: PersistentIdentifier,
    _ entity: EntityDescription,
    in context: ModelContext
  ) -> (any PersistentModel)? {
    guard let row = id.row, row >= 0, id.storeIdentifier == identifier else { return nil }
    return context.registry[entity, row]
  }

  func models(
    for identifiers: [PersistentIdentifier],
    storeIndex: Int,
    in context: ModelContext
  ) throws -> [PersistentIdentifier: any PersistentModel] {
    var found: [PersistentIdentifier: any PersistentModel] = [:]
    var missing: [String: [PersistentIdentifier]] = [:]
    for id in identifiers where id.storeIdentifier == identifier && id.row ?? -1 >= 0 {
      guard let entity = context.container.map[id.entityName] else { continue }
      found[id] = registered(id, entity, in: context)
      if found[id] == nil { missing[id.entityName, default: []].append(id) }
    }
    for (name, identifiers) in missing {
      guard let entity = context.container.map[name] else { continue }
      if identifiers.count == 1, let row = identifiers[0].row {
        found[identifiers[0]] = try model(of: entity, row: row, in: context)
        continue
      }
      for chunk in stride(from: 0, to: identifiers.count, by: 500) {
        let chunk = identifiers[chunk..<min(chunk + 500, identifiers.count)]
        let held = try context.models(
          of: entity,
          where: "t0.id IN (\(list(chunk.compactMap(\.row))))",
          bindings: []
        )
        for id in chunk { found[id] = id.row.flatMap { context.registry[entity, $0] } }
        withExtendedLifetime(held) {}
      }
    }
    return found
  }

  func model(
    of entity: EntityDescription,
    row: Int64,
    in context: ModelContext
  ) throws -> (any PersistentModel)? {
    try context.models(of: entity, where: "t0.id = ?", bindings: [.integer(row)]).first
  }

  func load(
    _ many: ToMany,
    of state: _ModelState,
    _ property: PropertyDescription,
    _ destination: EntityDescription,
    in context: ModelContext
  ) throws {
    switch state.entity?.relationships[property.index]?.storage {
    case .inverseColumn(let column):
      let found = try context.models(
        of: destination,
        where: "t0.\(quoted(column)) = ?",
        bindings: [.integer(state.row)]
      )
      many.load(found.filter { context.isStill($0, destination, column, state) })
    case .joinTable(let table, let source, let target):
      let found = try context.models(
        of: destination,
        where: "j.\(quoted(source)) = ?",
        bindings: [.integer(state.row)],
        join: "JOIN \(quoted(table)) AS j ON j.\(quoted(target)) = t0.id"
      )
      many.load(found.filter { $0._$state.phase == .stored })
    case .column, nil: many.load([])
    }
  }
}
