/// What the next save of a context will write; each list in the order in which it came.
struct PendingChanges {
  private(set) var inserted = ModelList<any PersistentModel>()
  var changed = ModelList<any PersistentModel>()
  private(set) var deleted = ModelList<any PersistentModel>()
  /// What is known of each deletion, by its object.
  private var deletions: [ObjectIdentifier: Deletion] = [:]
  /// What ephemeral properties held before they were changed: no store has it.
  private var ephemerals: [ObjectIdentifier: Ephemerals] = [:]
  /// Objects whose newest values the overlay doesn't have.
  var unsynced: [_ModelState] = []
  /// Objects that batch deletions take, whether they are in memory or not.
  private(set) var batchDeleted: [BatchDeletion] = []
  /// The rows of all batch deletions, by the index of their table.
  private var batchDeletedRows: [Int: Set<Int64>] = [:]

  /// What was set to objects of other contexts, and may still be.
  var foreignLinks: [ForeignLink] = []

  struct BatchDeletion {
    var entity: EntityDescription
    var rows: [Int64]
    /// Has the store delete them all at once, where it can.
    var atOnce: ((EditingState) throws -> Void)?
  }

  /// The ephemeral values of an object that is held for them.
  private struct Ephemerals {
    var state: _ModelState
    var values: [Int: Slot] = [:]
  }

  /// Why an object is deleted, and what goes with it.
  private struct Deletion {
    /// Held, so that no other object takes its place in memory.
    var model: any PersistentModel
    /// Whether it was asked for, and false if it only follows from another one.
    var isAsked = false
    /// The objects that delete rules take along.
    var members: [any PersistentModel] = []
  }

  var isEmpty: Bool {
    inserted.isEmpty && changed.isEmpty && deleted.isEmpty && batchDeleted.isEmpty
  }

  /// The inserted objects by the rows that stand for them until they are saved; made when asked.
  private var byRow: [Int64: any PersistentModel]?

  /// How many objects were given to be inserted, those included that were withdrawn.
  private(set) var insertionCount: Int32 = 0

  mutating func insert(_ model: any PersistentModel) {
    inserted.append(model)
    byRow?[model._$state.row] = model
    insertionCount &+= 1
  }

  /// The inserted object that a temporary row stands for.
  mutating func model(row: Int64) -> (any PersistentModel)? {
    if let byRow { return byRow[row] }
    let made = Dictionary(
      inserted.elements.map { ($0._$state.row, $0) },
      uniquingKeysWith: { _, last in last }
    )
    byRow = made
    return made[row]
  }

  mutating func withdraw(_ model: any PersistentModel) {
    inserted.remove(model)
    byRow?[model._$state.row] = nil
  }

  /// Remembers the value of an ephemeral property that is about to change.
  mutating func rememberEphemeral(_ index: Int, of state: _ModelState) {
    ephemerals[ObjectIdentifier(state), default: Ephemerals(state: state)].values[index] =
      state.slots[index]
  }

  /// What a property held before it was changed, if it is an ephemeral one.
  func ephemeral(_ index: Int, of state: _ModelState) -> Slot? {
    ephemerals[ObjectIdentifier(state)]?.values[index]
  }

  mutating func delete(_ model: any PersistentModel) { deleted.append(model) }

  /// Notes that the deletion of an object was asked for.
  mutating func askToDelete(_ model: any PersistentModel) {
    deletions[ObjectIdentifier(model), default: Deletion(model: model)].isAsked = true
  }

  func isAskedToDelete(_ model: any PersistentModel) -> Bool {
    deletions[ObjectIdentifier(model)]?.isAsked ?? false
  }

  /// Notes what the deletion of an object takes along.
  mutating func delete(_ members: [any PersistentModel], with model: any PersistentModel) {
    guard !members.isEmpty else { return }
    deletions[ObjectIdentifier(model), default: Deletion(model: model)].members += members
  }

  /// Takes the deletion of an object back, and all that follow from it alone; gives the objects,
  /// those first from whose deletions the others followed.
  mutating func keep(_ model: any PersistentModel) -> [any PersistentModel] {
    var kept = [model]
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(model)]
    var waiting = (deletions.removeValue(forKey: ObjectIdentifier(model))?.members ?? [])[...]
    let isAlone = waiting.allSatisfy { [.stored, .inserting].contains($0._$state.phase) }
    let staying = isAlone ? [] : askedDeletions
    while !isAlone, let next = waiting.popFirst() {
      let identity = ObjectIdentifier(next)
      guard !staying.contains(identity), seen.insert(identity).inserted else { continue }
      kept.append(next)
      waiting += deletions.removeValue(forKey: identity)?.members ?? []
    }
    for model in kept { deleted.remove(model) }
    return kept
  }

  /// The objects whose deletion was asked for, with all that follow from these.
  private var askedDeletions: Set<ObjectIdentifier> {
    var found: Set<ObjectIdentifier> = []
    var waiting = deletions.values.filter(\.isAsked).map(\.model)
    while let next = waiting.popLast() {
      guard found.insert(ObjectIdentifier(next)).inserted else { continue }
      waiting += deletions[ObjectIdentifier(next)]?.members ?? []
    }
    return found
  }

  mutating func deleteBatch(_ deletion: BatchDeletion) {
    batchDeleted.append(deletion)
    batchDeletedRows[deletion.entity.tableIndex, default: []].formUnion(deletion.rows)
  }

  func isBatchDeleted(_ entity: EntityDescription, row: Int64) -> Bool {
    !batchDeleted.isEmpty && batchDeletedRows[entity.tableIndex]?.contains(row) ?? false
  }

  /// Takes one row out of the batch deletions.
  mutating func withdrawFromBatch(_ entity: EntityDescription, row: Int64) {
    guard batchDeletedRows[entity.tableIndex]?.remove(row) != nil else { return }
    for index in batchDeleted.indices
    where batchDeleted[index].entity.tableIndex == entity.tableIndex {
      batchDeleted[index].rows.removeAll { $0 == row }
    }
    batchDeleted.removeAll { $0.rows.isEmpty && $0.atOnce == nil }
  }

  mutating func removeAll() { self = PendingChanges() }
}
