import Changes
import Store

/// The changes that a store reports after a save; objects receive them once all stores have
/// written.
protocol SaveOutcome {
  /// Merges each new object with the existing object that has the same identity in the store.
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
  private(set) var hidden = HiddenOwners()
  /// Rows that the store deleted or changed by delete rules or in batches.
  private(set) var deletedRows: [StoredRow] = []
  private(set) var nullifiedRows: [StoredRow] = []
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
  @exclusivity(unchecked) var renumbered: [Renumbering] = []
  /// Objects with a temporary identity that the application may still use.
  private(set) var givenRows: [(row: Int64, state: _ModelState)] = []

  typealias StoredRow = (storeIndex: Int, key: RowKey)

  struct Renumbering {
    var state: _ModelState
    var row: Int64
  }

  init(_ changes: PendingChanges, in context: ModelContext) {
    self.changes = changes
    self.context = context
    inserted = changes.inserted.elements.map(\._$state)
    changed = changes.changed.elements.map(\._$state).filter { $0.phase == .stored }
    deleted = changes.deleted.elements.map(\._$state)
  }

  func touches(storeIndex: Int) -> Bool {
    [inserted, changed, deleted, hidden.states].joined()
      .contains { $0.entity?.storeIndex == storeIndex }
      || changes.batchDeleted.contains { $0.entity.storeIndex == storeIndex }
  }

  func prepare() throws {
    for state in inserted + changed { try validate(state) }
    hidden.collect(from: inserted + changed)
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

  func write(to writer: Writer, storeIndex: Int) throws {
    // Merging continues, because a unique value may refer to an object that is not merged yet.
    while try mergeCollisions(writer, storeIndex: storeIndex) {
      hidden.collect(from: inserted + changed)
    }
    let inserts = inserted.filter { $0.entity?.storeIndex == storeIndex }
    let updates = changed.filter { $0.entity?.storeIndex == storeIndex }
    try giveRows(to: inserts, with: writer)
    // Updates precede deletions, so that delete rules do not affect objects that have another
    // owner now.
    try writeUpdates(of: updates, storeIndex: storeIndex, with: writer)
    for state in updates { try removeLinks(of: state, with: writer) }
    var requested: Set<RowKey> = []
    for state in deleted where state.entity?.storeIndex == storeIndex {
      guard let key = state.rowKey else { continue }
      requested.insert(key)
      try writer.delete(key.entity, id: state.row)
    }
    for deletion in changes.batchDeleted where deletion.entity.storeIndex == storeIndex {
      for row in deletion.rows { try writer.delete(deletion.entity.index, id: row) }
    }
    gone = Set(writer.deleted)
    try insert(inserts, with: writer)
    for state in inserts + updates where !isGone(state) { try addLinks(of: state, with: writer) }
    try writer.putParkedRowsBack()
    deletedRows += writer.deleted.filter { !requested.contains($0) }.map { (storeIndex, $0) }
    nullifiedRows += writer.updated.map { (storeIndex, $0) }
  }

  /// Whether a delete rule of the store has deleted the object during this save, although it is not
  /// marked as deleted in memory.
  func isGone(_ state: _ModelState) -> Bool {
    !gone.isEmpty && state.rowKey.map(gone.contains) ?? false
  }

  /// Records which object has a temporary identity that the application may still use.
  func keepIdentifier(of new: _ModelState, as target: _ModelState) {
    if new.isIdentifierGiven { givenRows.append((new.row, target)) }
  }
}

extension _ModelState {
  fileprivate var rowKey: RowKey? {
    entity.map { RowKey(entity: $0.index, id: ObjectID(row)) }
  }
}
