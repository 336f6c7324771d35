import Format
import Store

// The rows and links that a save writes.

extension NativeSave {
  /// Assigns rows to new objects before anything is written, so that the objects can refer to each
  /// other.
  func giveRows(to states: [_ModelState], with writer: Writer) throws {
    var counts = Array(repeating: 0, count: context.container.map.tableCount)
    for state in states {
      if let entity = state.entity { counts[entity.tableIndex] += 1 }
    }
    let save = save
    var next: [Int64?] = Array(repeating: nil, count: counts.count)
    save.renumbered.reserveCapacity(save.renumbered.count + states.count)
    for state in states {
      guard let entity = state.entity else { continue }
      let index = entity.tableIndex
      let row = try next[index] ?? writer.reserveIDs(entity.table, count: counts[index])
      next[index] = row + 1
      save.renumbered.append(PendingSave.Renumbering(state: state, row: state.row))
      save.keepIdentifier(of: state, as: state)
      state.become(row: row)
    }
  }

  func insert(_ states: [_ModelState], with writer: Writer) throws {
    var values: [Value] = []
    for state in states {
      guard let entity = state.entity else { continue }
      values.removeAll(keepingCapacity: true)
      for (column, slot) in entity.slots.enumerated() {
        if let slot {
          values.append(try value(of: state, slot: slot))
        } else {
          values.append(hidden.value(of: state, column: entity.columnNames[column]) ?? .null)
        }
      }
      try writer.insert(entity.index, id: state.row, values: values)
    }
  }

  private func value(of state: _ModelState, slot: Int) throws -> Value {
    if case .value(let value) = state.slots[slot] { return value }
    // A reference without an inverse is not updated when the other object is deleted. The save sets
    // such a reference to null.
    if case .toOne(.object(let other)) = state.slots[slot],
      ![.inserting, .stored].contains(other._$state.phase) || isGone(other._$state)
    {
      return .null
    }
    return try state.columnValue(at: slot)
  }

  func writeUpdates(of states: [_ModelState], with writer: Writer) throws {
    for change in try states.compactMap(update) + hiddenUpdates() {
      let isThere = try writer.update(
        change.entity,
        id: change.id,
        columns: change.columns,
        values: change.values
      )
      guard !isThere else { continue }
      let entity = context.container.map.schemas[storeIndex].entities[change.entity]
      throw deletedMeanwhile("\(entity.name) with the row \(change.id)")
    }
  }

  /// The changed columns of an object; nil if only its links change.
  private func update(of state: _ModelState) throws -> RowChange? {
    guard let entity = state.entity else { return nil }
    var change = RowChange(entity: entity.index, id: state.row, columns: [], values: [])
    for (column, slot) in entity.slots.enumerated() {
      let value =
        if let slot {
          state.changed.contains(slot) ? try value(of: state, slot: slot) : nil
        } else {
          hidden.value(of: state, column: entity.columnNames[column])
        }
      guard let value else { continue }
      change.columns.append(ColumnIndex(column))
      change.values.append(value)
    }
    return change.columns.isEmpty ? nil : change
  }

  /// The hidden columns of objects that have no other changes, sorted by row, so that history does
  /// not depend on addresses in memory.
  private func hiddenUpdates() -> [RowChange] {
    let written = Set(save.changed.map { ObjectIdentifier($0) })
    return hidden.states
      .filter { $0.phase == .stored && !written.contains(ObjectIdentifier($0)) }
      .sorted { $0.row < $1.row }
      .compactMap { state in
        guard let entity = state.entity else { return nil }
        let columns = hidden.columns(of: state).filter { entity.hiddenColumn(named: $0) != nil }
        return RowChange(
          entity: entity.index,
          id: state.row,
          columns: columns.compactMap(entity.hiddenColumn),
          values: columns.compactMap { hidden.value(of: state, column: $0) }
        )
      }
  }

  func removeLinks(of state: _ModelState, with writer: Writer) throws {
    try forEachLink(of: state) { entity, name, many in
      for member in many.removed.elements where member._$state.row >= 0 {
        let target = member._$state.row
        try writer.unlink(entity.index, relationship: name, source: state.row, target: target)
      }
    }
  }

  func addLinks(of state: _ModelState, with writer: Writer) throws {
    try forEachLink(of: state) { entity, name, many in
      for member in many.added.elements where member._$state.row >= 0 {
        let other = member._$state
        guard [.inserting, .stored].contains(other.phase), !isGone(other) else { continue }
        try writer.link(entity.index, relationship: name, source: state.row, target: other.row)
      }
    }
  }

  private func forEachLink(
    of state: _ModelState,
    _ body: (EntityDescription, String, ToMany) throws -> Void
  ) throws {
    guard let entity = state.entity else { return }
    for property in entity.joined {
      guard case .toMany(let many) = state.slots[property.index] else { continue }
      try body(entity, property.name, many)
    }
  }
}

func deletedMeanwhile(_ object: String) -> SwiftDataError {
  SwiftDataError(.saveFailed) {
    "The \(object) can't be updated: another program or context has deleted the object."
      + "\nCall rollback(), or delete the object in this context too."
  }
}
