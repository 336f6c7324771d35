import Format
import Store

extension NativeSession {
  func prefetch(_ property: PropertyDescription, of states: [_ModelState]) throws {
    if property.isToMany {
      try prefetchMany(property, of: states)
    } else {
      try prefetchOne(property, of: states)
    }
  }

  private func prefetchOne(_ property: PropertyDescription, of states: [_ModelState]) throws {
    var wanted: [Int64: [_ModelState]] = [:]
    for state in states {
      guard case .toOne(.row(let row)) = state.slots[property.index] else { continue }
      wanted[row, default: []].append(state)
    }
    guard !wanted.isEmpty,
      let destination = map.destination(of: property.index, in: states.first?.entity)
    else { return }
    let found = try models(of: destination, where: "t0.id IN (\(list(wanted.keys.sorted())))")
    for model in found where model._$state.phase == .stored {
      for state in wanted[model._$state.row] ?? [] { state.keep(model, at: property.index) }
    }
  }

  private func prefetchMany(_ property: PropertyDescription, of states: [_ModelState]) throws {
    let open = states.filter { !$0.knownToMany(property.index).isLoaded && $0.row >= 0 }
    guard let relationship = open.first?.entity?.relationships[property.index],
      let destination = map[relationship.destination]
    else { return }
    // One query reads the members of all collections into memory. Each collection then takes its
    // members from memory.
    let rows = list(open.map(\.row))
    let held: [any PersistentModel]
    switch relationship.storage {
    case .inverseColumn(let column):
      held = try models(of: destination, where: "t0.\(quoted(column)) IN (\(rows))")
      try assign(held, to: open, property: property, through: column, destination: destination)
    case .joinTable, .column:
      for state in open {
        context.load(state.knownToMany(property.index), of: state, at: property.index)
      }
    }
  }

  /// Assigns members in memory to their owners, without another query.
  private func assign(
    _ members: [any PersistentModel],
    to owners: [_ModelState],
    property: PropertyDescription,
    through column: String,
    destination: EntityDescription
  ) throws {
    guard let position = destination.columnNames.firstIndex(of: column),
      let slot = destination.slots[position]
    else {
      for owner in owners {
        context.load(owner.knownToMany(property.index), of: owner, at: property.index)
      }
      return
    }
    var byOwner: [Int64: [any PersistentModel]] = [:]
    for member in members {
      let state = member._$state
      guard state.phase == .stored, let row = state.toOneRow(slot) else { continue }
      byOwner[row, default: []].append(member)
    }
    for owner in owners {
      let many = owner.knownToMany(property.index)
      many.load(byOwner[owner.row] ?? [])
      context.hold(many, ownedBy: owner, at: property.index)
    }
  }

  func list(_ rows: [Int64]) -> String {
    rows.map(String.init).joined(separator: ", ")
  }
}
