import Format
import Store

/// The part of a save that a native store writes.
final class NativeSave: SaveOutcome {
  /// The save keeps its outcomes, of which this object is one.
  unowned let save: PendingSave
  let context: ModelContext
  let storeIndex: Int
  var hidden = HiddenOwners()
  /// Rows that the store deleted or changed by delete rules or in batches.
  private var deletedRows: [RowKey] = []
  private var nullifiedRows: [RowKey] = []
  /// Rows that this save has deleted.
  private var gone: Set<RowKey> = []
  private var isRuled = false

  /// Objects that must stay in memory while they are written.
  var held: [any PersistentModel] = []
  /// For the state of each object: the new objects that were merged with it.
  var followers: [ObjectIdentifier: [any PersistentModel]] = [:]

  init(_ save: PendingSave, storeIndex: Int) {
    self.save = save
    context = save.context
    self.storeIndex = storeIndex
  }

  func own(_ states: [_ModelState]) -> [_ModelState] {
    states.filter { $0.entity?.storeIndex == storeIndex }
  }

  func write(to writer: Writer) throws {
    var inserts: [_ModelState]
    var updates: [_ModelState]
    repeat {
      inserts = own(save.inserted)
      updates = own(save.changed)
      hidden.collect(from: inserts + updates)
      // Merging continues, because a unique value may refer to an object that is not merged yet.
    } while try mergeCollisions(writer)
    try giveRows(to: inserts, with: writer)
    // Updates precede deletions, so that delete rules do not affect objects that have another
    // owner now.
    try writeUpdates(of: updates, with: writer)
    for state in updates { try removeLinks(of: state, with: writer) }
    var requested: Set<RowKey> = []
    for state in own(save.deleted) {
      guard let key = state.rowKey else { continue }
      requested.insert(key)
      try writer.delete(key.entity, id: state.row)
    }
    for deletion in save.changes.batchDeleted where deletion.entity.storeIndex == storeIndex {
      for row in deletion.rows { try writer.delete(deletion.entity.index, id: row) }
    }
    gone = Set(writer.deleted)
    try insert(inserts, with: writer)
    for state in inserts + updates where !isGone(state) { try addLinks(of: state, with: writer) }
    try writer.putParkedRowsBack()
    deletedRows = writer.deleted.filter { !requested.contains($0) }
    nullifiedRows = writer.updated
    save.outcomes.append(self)
  }

  /// Whether a delete rule of the store has deleted the object during this save, although it is not
  /// marked as deleted in memory.
  func isGone(_ state: _ModelState) -> Bool {
    !gone.isEmpty && state.rowKey.map(gone.contains) ?? false
  }
}

extension NativeSave {
  var deletedIdentifiers: [PersistentIdentifier] { deletedRows.compactMap(identifier) }

  var updatedIdentifiers: [PersistentIdentifier] {
    let stores = context.container.storeIdentifiers
    return hidden.states.filter { $0.phase == .stored }.sorted { $0.row < $1.row }
      .map { $0.savedIdentifier(stores) } + nullifiedRows.compactMap(identifier)
  }

  func join(in context: ModelContext) {
    for model in followers.values.joined() {
      let state = model._$state
      guard let entity = state.entity else { continue }
      context.registry.addTwin(model, entity: entity, row: state.row)
    }
  }

  func loseObjects(in context: ModelContext) {
    let ruled = deletedRows.compactMap(registered)
    for model in ruled { model._$state.becomeDeleted(in: context.registry) }
    isRuled = !ruled.isEmpty
  }

  func reregister(in context: ModelContext) {
    for model in nullifiedRows.compactMap(registered) {
      model._$state.forgetReferences(of: model)
    }
    if hidden.mayLeaveStrays || !save.changes.deleted.isEmpty || !deletedRows.isEmpty {
      dropStrays(isRuled: isRuled)
    }
  }

  private func entity(of row: RowKey) -> EntityDescription? {
    let map = context.container.map
    return map[map.schemas[storeIndex].entities[row.entity].name]
  }

  private func identifier(of row: RowKey) -> PersistentIdentifier? {
    entity(of: row).map { entity in
      PersistentIdentifier(
        storeIdentifier: context.container.storeIdentifier(of: entity),
        entityName: entity.name,
        key: .number(row.id.integer)
      )
    }
  }

  private func registered(_ row: RowKey) -> (any PersistentModel)? {
    entity(of: row).flatMap { context.registry[$0, row.id.integer] }
  }
}

extension _ModelState {
  fileprivate var rowKey: RowKey? {
    entity.map { RowKey(entity: $0.index, id: ObjectID(row)) }
  }
}
