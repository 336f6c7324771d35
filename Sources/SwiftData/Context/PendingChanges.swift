/// The changes that the next save of a context writes; each list is in the order of the changes.
struct PendingChanges {
  private(set) var inserted = ModelList<any PersistentModel>()
  var changed = ModelList<any PersistentModel>()
  private(set) var deleted = ModelList<any PersistentModel>()
  private var deletions: [ObjectIdentifier: Deletion] = [:]
  /// The earlier values of changed ephemeral properties.
  ///
  /// No store contains values of ephemeral properties.
  private var ephemerals: [ObjectIdentifier: Ephemerals] = [:]
  /// Objects whose latest values are not in the overlay yet.
  var unsynced: [_ModelState] = []
  /// Deletions of all objects that match a predicate, whether they are in memory or not.
  private(set) var batchDeleted: [BatchDeletion] = []
  private var batchDeletedRows: [Int: Set<Int64>] = [:]

  var foreignLinks: [ForeignLink] = []

  struct BatchDeletion {
    var entity: EntityDescription
    var rows: [Int64]
    /// Deletes the objects immediately in the store; nil if the store can't delete them
    /// immediately.
    var atOnce: ((EditingState) throws -> Void)?
  }

  private struct Ephemerals {
    var state: _ModelState
    var values: [Int: Slot] = [:]
  }

  private struct Deletion {
    /// The reference is strong, so that a new object can't get the address of this object.
    var model: any PersistentModel
    /// Whether the program requested the deletion; false if the deletion is a consequence of
    /// another deletion.
    var isAsked = false
    var members: [any PersistentModel] = []
  }

  var isEmpty: Bool {
    inserted.isEmpty && changed.isEmpty && deleted.isEmpty && batchDeleted.isEmpty
  }

  private var byRow: [Int64: any PersistentModel]?

  private(set) var insertionCount: Int32 = 0

  mutating func insert(_ model: any PersistentModel) {
    inserted.append(model)
    byRow?[model._$state.row] = model
    insertionCount &+= 1
  }

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

  /// Stores the value of an ephemeral property before the property changes.
  mutating func rememberEphemeral(_ index: Int, of state: _ModelState) {
    ephemerals[ObjectIdentifier(state), default: Ephemerals(state: state)].values[index] =
      state.slots[index]
  }

  /// The value of an ephemeral property before its change; nil for properties without a stored
  /// earlier value.
  func ephemeral(_ index: Int, of state: _ModelState) -> Slot? {
    ephemerals[ObjectIdentifier(state)]?.values[index]
  }

  mutating func delete(_ model: any PersistentModel) { deleted.append(model) }

  mutating func askToDelete(_ model: any PersistentModel) {
    deletions[ObjectIdentifier(model), default: Deletion(model: model)].isAsked = true
  }

  func isAskedToDelete(_ model: any PersistentModel) -> Bool {
    deletions[ObjectIdentifier(model)]?.isAsked ?? false
  }

  mutating func delete(_ members: [any PersistentModel], with model: any PersistentModel) {
    guard !members.isEmpty else { return }
    deletions[ObjectIdentifier(model), default: Deletion(model: model)].members += members
  }

  /// Cancels the deletion of an object and the deletions that are only its consequences.
  ///
  /// Returns the objects that are no longer deleted, each cause before its consequences.
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

  /// The objects whose deletion the program requested, and those whose deletion is a consequence.
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
