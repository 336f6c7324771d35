/// What the next save of a context will write; each list in the order in which it came.
struct PendingChanges {
  private(set) var inserted: [any PersistentModel] = []
  var changed: [any PersistentModel] = []
  var deleted: [any PersistentModel] = []
  /// Objects whose newest values the overlay doesn't have.
  var unsynced: [_ModelState] = []
  /// Objects that batch deletions take, whether they are in memory or not.
  private(set) var batchDeleted: [BatchDeletion] = []
  /// The rows of all batch deletions, by the index of their table.
  private var batchDeletedRows: [Int: Set<Int64>] = [:]

  /// The rows of one batch deletion.
  struct BatchDeletion {
    var entity: EntityDescription
    var rows: [Int64]
    /// Has a custom store delete them all at once.
    var custom: ((CustomStore, EditingState) throws -> Void)?
  }

  var isEmpty: Bool {
    inserted.isEmpty && changed.isEmpty && deleted.isEmpty && batchDeleted.isEmpty
  }

  /// The inserted objects by the rows that stand for them until they are saved; made when asked.
  private var byRow: [Int64: any PersistentModel] = [:]
  private var rowsKnown = 0

  mutating func insert(_ model: any PersistentModel) { inserted.append(model) }

  /// The inserted object that a temporary row stands for.
  mutating func model(row: Int64) -> (any PersistentModel)? {
    while rowsKnown < inserted.count {
      byRow[inserted[rowsKnown]._$state.row] = inserted[rowsKnown]
      rowsKnown += 1
    }
    return byRow[row]
  }

  mutating func withdraw(_ model: any PersistentModel) {
    guard let index = inserted.lastIndex(where: { $0 === model }) else { return }
    inserted.remove(at: index)
    byRow = [:]
    rowsKnown = 0
  }

  mutating func deleteBatch(_ deletion: BatchDeletion) {
    batchDeleted.append(deletion)
    batchDeletedRows[deletion.entity.tableIndex, default: []].formUnion(deletion.rows)
  }

  func isBatchDeleted(_ entity: EntityDescription, _ row: Int64) -> Bool {
    !batchDeleted.isEmpty && batchDeletedRows[entity.tableIndex]?.contains(row) ?? false
  }

  /// Takes one row out of the batch deletions.
  mutating func withdrawFromBatch(_ entity: EntityDescription, _ row: Int64) {
    guard batchDeletedRows[entity.tableIndex]?.remove(row) != nil else { return }
    for index in batchDeleted.indices
    where batchDeleted[index].entity.tableIndex == entity.tableIndex {
      batchDeleted[index].rows.removeAll { $0 == row }
    }
    batchDeleted.removeAll { $0.rows.isEmpty && $0.custom == nil }
  }

  mutating func removeAll() { self = PendingChanges() }
}
