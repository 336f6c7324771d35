import Changes
import Store

/// The changes that a store reports after a save; objects receive them once all stores have
/// written.
protocol SaveOutcome {
  /// Merges new objects with the existing objects that the store identified them with.
  func join(in context: ModelContext)
  /// Applies the values that the store changed.
  func reregister(in context: ModelContext) throws
}

/// The state of a save while it is being written, before the objects are updated.
final class PendingSave {
  let context: ModelContext
  var inserted: [_ModelState] = []
  var changed: [_ModelState] = []
  var deleted: [_ModelState] = []
  let changes: PendingChanges
  /// New values of hidden columns; these record the members of to-many relationships without an
  /// inverse.
  private(set) var hiddenOwners: [ObjectIdentifier: HiddenColumns] = [:]
  /// Rows that the store deleted or changed by delete rules.
  private(set) var deletedRows: [(storeIndex: Int, entity: EntityIndex, row: Int64)] = []
  private var nullifiedRows: [(storeIndex: Int, entity: EntityIndex, row: Int64)] = []
  /// Rows that this save has deleted in the current store.
  private var gone: Set<RowKey> = []

  /// Objects that must stay in memory while they are written.
  var held: [any PersistentModel] = []
  /// The reports of the stores about changes that were not requested.
  var outcomes: [any SaveOutcome] = []
  /// Identifiers of objects that batch deletions removed, for stores that do not report rows.
  var batchDeleted: [PersistentIdentifier] = []
  /// Objects that were read only because this save deletes them.
  var doomed: [any PersistentModel] = []

  /// For the state of each object: the new objects that were merged with it.
  var followers: [ObjectIdentifier: [any PersistentModel]] = [:]

  struct HiddenColumns {
    var state: _ModelState
    var columns: [String: Value] = [:]
  }

  init(_ changes: PendingChanges, in context: ModelContext) {
    self.changes = changes
    self.context = context
    inserted = changes.inserted.elements.map(\._$state)
    changed = changes.changed.elements.map(\._$state).filter { $0.phase == .stored }
    deleted = changes.deleted.elements.map(\._$state)
  }

  func touches(storeIndex: Int) -> Bool {
    [inserted, changed, deleted].joined().contains { $0.entity?.storeIndex == storeIndex }
      || hiddenOwners.values.contains { $0.state.entity?.storeIndex == storeIndex }
      || changes.batchDeleted.contains { $0.entity.storeIndex == storeIndex }
  }

  // MARK: Before the write

  func prepare() throws {
    for state in inserted + changed {
      try validate(state)
      collectHiddenOwners(of: state)
    }
  }

  private func validate(_ state: _ModelState) throws {
    for property in state.description.counted {
      guard let relationship = property.relationship,
        case .toMany(let many) = state.slots[property.index], many.isLoaded
      else { continue }
      let count = many.count
      let minimum = relationship.minimumModelCount ?? 0
      let maximum = relationship.maximumModelCount ?? 0
      if count < minimum || (maximum > 0 && count > maximum) {
        throw SwiftDataError(
          .wrongCount(
            "\(state.description.name).\(property.name)",
            count,
            minimum: minimum,
            maximum: maximum
          )
        )
      }
    }
  }

  private func collectHiddenOwners(of state: _ModelState) {
    for property in state.entity?.loose ?? [] {
      guard case .toMany(let many) = state.slots[property.index] else { continue }
      let column = "_\(property.owner)_\(property.name)"
      for member in many.removed.elements {
        setHidden(column, of: member._$state, to: nil, from: state)
      }
      for member in many.added.elements {
        setHidden(column, of: member._$state, to: state, from: state)
      }
    }
  }

  private func setHidden(
    _ column: String,
    of member: _ModelState,
    to owner: _ModelState?,
    from previous: _ModelState
  ) {
    guard member.phase != .deleting else { return }
    let identity = ObjectIdentifier(member)
    var entry = hiddenOwners[identity] ?? HiddenColumns(state: member)
    // The member moved from one owner to another; the entry of the new owner must remain.
    if owner == nil, entry.columns[column] != nil { return }
    // Only a new member that was added once can't be in another collection.
    if owner != nil, member.phase != .inserting || entry.columns[column] != nil {
      mayLeaveStrays = true
    }
    entry.columns[column] = owner.map { .integer($0.row) } ?? .null
    owners[identity, default: [:]][column] = owner
    hiddenOwners[identity] = entry
  }
  private(set) var owners: [ObjectIdentifier: [String: _ModelState]] = [:]
  /// Whether a collection in memory may still have a member that moved to another one.
  private(set) var mayLeaveStrays = false

  // MARK: The write

  func write(to writer: Writer, storeIndex: Int) throws {
    // Merging continues, because a unique value may refer to an object that is not merged yet.
    while try mergeCollisions(writer, storeIndex: storeIndex) {
      hiddenOwners = [:]
      owners = [:]
      for state in inserted + changed { collectHiddenOwners(of: state) }
    }
    let inserts = inserted.filter { $0.entity?.storeIndex == storeIndex }
    let updates = changed.filter { $0.entity?.storeIndex == storeIndex }
    try giveRows(to: inserts, with: writer)
    // Updates precede deletions, so that delete rules do not affect objects that have another
    // owner now.
    try writeUpdates(writer, storeIndex: storeIndex)
    for state in updates { try removeLinks(of: state, with: writer) }
    for state in deleted where state.entity?.storeIndex == storeIndex {
      guard let entity = state.entity else { continue }
      try writer.delete(entity.index, id: state.row)
    }
    for deletion in changes.batchDeleted where deletion.entity.storeIndex == storeIndex {
      for row in deletion.rows { try writer.delete(deletion.entity.index, id: row) }
    }
    gone = Set(writer.deleted)
    var values: [Value] = []
    for state in inserts {
      guard let entity = state.entity else { continue }
      values.removeAll(keepingCapacity: true)
      try appendRow(of: state, entity: entity, to: &values)
      try writer.insert(entity.index, id: state.row, values: values)
    }
    for state in inserts + updates where !isGone(state) { try addLinks(of: state, with: writer) }
    try writer.putParkedRowsBack()
    for gone in writer.deleted { deletedRows.append((storeIndex, gone.entity, gone.id.integer)) }
    for row in writer.updated { nullifiedRows.append((storeIndex, row.entity, row.id.integer)) }
  }

  /// Assigns rows to new objects before anything is written, so that the objects can refer to each
  /// other.
  private func giveRows(to states: [_ModelState], with writer: Writer) throws {
    var counts = Array(repeating: 0, count: context.container.map.tableCount)
    for state in states {
      if let entity = state.entity { counts[entity.tableIndex] += 1 }
    }
    var next: [Int64?] = Array(repeating: nil, count: counts.count)
    renumbered.reserveCapacity(renumbered.count + states.count)
    for state in states {
      guard let entity = state.entity else { continue }
      let index = entity.tableIndex
      let row = try next[index] ?? writer.reserveIDs(entity.table, count: counts[index])
      next[index] = row + 1
      renumbered.append(Renumbering(state: state, row: state.row))
      keepIdentifier(of: state, as: state)
      state.become(row: row)
    }
  }
  @exclusivity(unchecked) var renumbered: [Renumbering] = []

  /// Records which object has a temporary identity that the application may still use.
  func keepIdentifier(of new: _ModelState, as target: _ModelState) {
    if new.isIdentifierGiven { givenRows.append((new.row, target)) }
  }
  private var givenRows: [(row: Int64, state: _ModelState)] = []

  struct Renumbering {
    var state: _ModelState
    var row: Int64
  }

  private func appendRow(
    of state: _ModelState,
    entity: EntityDescription,
    to values: inout [Value]
  ) throws {
    for (column, slot) in entity.slots.enumerated() {
      if let slot {
        values.append(try value(of: state, slot: slot))
      } else {
        let hidden = hiddenOwners[ObjectIdentifier(state)]
        values.append(hiddenValue(hidden, state: state, column: entity.columnNames[column]))
      }
    }
  }

  private func hiddenValue(
    _ hidden: HiddenColumns?,
    state: _ModelState,
    column: String
  ) -> Value {
    if let owner = owners[ObjectIdentifier(state)]?[column] { return .integer(owner.row) }
    return hidden?.columns[column] ?? .null
  }

  private func value(of state: _ModelState, slot: Int) throws -> Value {
    if case .value(let value) = state.slots[slot] { return value }
    // Without an inverse, this reference was not updated by the deletion of the other object.
    if case .toOne(.object(let other)) = state.slots[slot],
      ![.inserting, .stored].contains(other._$state.phase) || isGone(other._$state)
    {
      return .null
    }
    return try state.columnValue(at: slot)
  }

  private func writeUpdates(_ writer: Writer, storeIndex: Int) throws {
    var updates: [RowChange] = []
    var hiddenStates = Set(hiddenOwners.keys)
    for state in changed where state.entity?.storeIndex == storeIndex {
      guard let entity = state.entity else { continue }
      var columns: [ColumnIndex] = []
      var values: [Value] = []
      for (column, slot) in entity.slots.enumerated() {
        if let slot {
          guard state.changed.contains(slot) else { continue }
          columns.append(ColumnIndex(column))
          values.append(try value(of: state, slot: slot))
        } else if hiddenOwners[ObjectIdentifier(state)]?.columns[entity.columnNames[column]] != nil
        {
          columns.append(ColumnIndex(column))
          values.append(
            hiddenValue(
              hiddenOwners[ObjectIdentifier(state)],
              state: state,
              column: entity.columnNames[column]
            )
          )
        }
      }
      hiddenStates.remove(ObjectIdentifier(state))
      guard !columns.isEmpty else { continue }
      updates.append(
        RowChange(entity: entity.index, id: state.row, columns: columns, values: values)
      )
    }
    // Sorted by row, so that history does not depend on addresses in memory.
    let left = hiddenStates.compactMap { hiddenOwners[$0] }.sorted { $0.state.row < $1.state.row }
    for hidden in left {
      guard hidden.state.phase == .stored,
        let entity = hidden.state.entity, entity.storeIndex == storeIndex
      else { continue }
      let columns = hidden.columns.keys.sorted().compactMap(entity.hiddenColumn(named:))
      updates.append(
        RowChange(
          entity: entity.index,
          id: hidden.state.row,
          columns: columns,
          values: columns.map {
            hiddenValue(hidden, state: hidden.state, column: entity.columnNames[$0])
          }
        )
      )
    }
    for update in updates {
      let isThere = try writer.update(
        update.entity,
        id: update.id,
        columns: update.columns,
        values: update.values
      )
      guard !isThere else { continue }
      throw SwiftDataError(
        .deletedMeanwhile(
          context.container.map.schemas[storeIndex].entities[update.entity].name,
          "with the row \(update.id)"
        )
      )
    }
  }

  private func removeLinks(of state: _ModelState, with writer: Writer) throws {
    try forEachLink(of: state) { entity, name, many in
      for member in many.removed.elements where member._$state.row >= 0 {
        let target = member._$state.row
        try writer.unlink(entity.index, relationship: name, source: state.row, target: target)
      }
    }
  }

  private func addLinks(of state: _ModelState, with writer: Writer) throws {
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

  /// Whether a delete rule of the store has deleted the object during this save, although it is not
  /// marked as deleted in memory.
  private func isGone(_ state: _ModelState) -> Bool {
    guard !gone.isEmpty, let entity = state.entity else { return false }
    return gone.contains(RowKey(entity: entity.index, id: ObjectID(state.row)))
  }

  // MARK: After the write

  func undo() {
    for entry in renumbered { entry.state.takeBack(row: entry.row) }
    renumbered = []
    guard let journal = context.journal, !journal.isEmpty else { return }
    context.journal = nil
    context.pending = changes
    journal.restore(in: context)
    // Undo must not revert the changes that the save itself made.
    context.undoRecorder.forget()
  }

  func settle() {
    let registry = context.registry
    context.pending.removeAll()
    registry.identities.atHand.removeAll()
    for outcome in outcomes { outcome.join(in: context) }
    if let entity = inserted.first?.entity { registry.reserve(entity, more: inserted.count) }
    for model in changes.inserted.elements {
      let state = model._$state
      guard state.phase == .inserting, let entity = state.entity else { continue }
      state.phase = .stored
      registry.add(state.reference(to: model), entity: entity, row: state.row)
    }
    for model in followers.values.joined() {
      let state = model._$state
      if let entity = state.entity { registry.addTwin(model, entity: entity, row: state.row) }
    }
    let stores = context.container.storeIdentifiers
    for (row, state) in givenRows {
      registry.savedIdentifiers[row] = state.savedIdentifier(stores)
    }
    for model in changes.inserted.elements { model._$state.settle() }
    for model in changes.changed.elements { model._$state.settle() }
    for model in changes.deleted.elements + doomed {
      model._$state.becomeDeleted(in: context)
    }
    let ruled = deletedRows.compactMap(registered)
    for model in ruled { model._$state.becomeDeleted(in: context) }
    for row in nullifiedRows {
      guard let model = registered(row) else { continue }
      model._$state.forgetReferences(of: model)
    }
    dropStrays(isRuled: !ruled.isEmpty)
    for outcome in outcomes { context.report { try outcome.reregister(in: context) } }
    context.undoRecorder.endGroup(in: context)
  }

  var deletedIdentifiers: [PersistentIdentifier] {
    guard !deleted.isEmpty || !batchDeleted.isEmpty || !deletedRows.isEmpty else { return [] }
    var known = Set<PersistentIdentifier>()
    let stores = context.container.storeIdentifiers
    var identifiers = deleted.map { $0.savedIdentifier(stores) }
    identifiers += batchDeleted
    known.formUnion(identifiers)
    for identifier in deletedRows.compactMap(identifier(of:))
    where known.insert(identifier).inserted {
      identifiers.append(identifier)
    }
    return identifiers
  }

  /// The identifiers of all objects with changed values or links, without duplicates.
  var updatedIdentifiers: [PersistentIdentifier] {
    let stores = context.container.storeIdentifiers
    let own = changed.map { $0.savedIdentifier(stores) }
    let members = hiddenOwners.values.map(\.state).filter { $0.phase == .stored }
    guard !members.isEmpty || !nullifiedRows.isEmpty else { return own }
    var known = Set(inserted.map { $0.savedIdentifier(stores) })
    return
      (own + members.sorted { $0.row < $1.row }.map { $0.savedIdentifier(stores) }
      + nullifiedRows.compactMap(identifier(of:)))
      .filter { known.insert($0).inserted }
  }

  private func identifier(
    of place: (storeIndex: Int, entity: EntityIndex, row: Int64)
  ) -> PersistentIdentifier? {
    let name = context.container.map.schemas[place.storeIndex].entities[place.entity].name
    guard let entity = context.container.map[name] else { return nil }
    return PersistentIdentifier(
      storeIdentifier: context.container.storeIdentifier(of: entity),
      entityName: name,
      key: .number(place.row)
    )
  }

  func registered(
    _ place: (storeIndex: Int, entity: EntityIndex, row: Int64)
  ) -> (any PersistentModel)? {
    let name = context.container.map.schemas[place.storeIndex].entities[place.entity].name
    guard let entity = context.container.map[name] else { return nil }
    return context.registry[entity, place.row]
  }
}
