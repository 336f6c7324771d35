/// What the next save of a context will write; each list in the order in which it came.
struct PendingChanges {
  private(set) var inserted: [any PersistentModel] = []
  var changed: [any PersistentModel] = []
  var deleted: [any PersistentModel] = []
  /// Objects whose newest values the overlay doesn't have.
  var unsynced: [_ModelState] = []
  /// Objects that batch deletions take, whether they are in memory or not.
  var batchDeleted: [BatchDeletion] = []

  /// The rows of one batch deletion.
  struct BatchDeletion {
    var entity: EntityDescription
    var rows: [Int64]
  }

  var isEmpty: Bool {
    inserted.isEmpty && changed.isEmpty && deleted.isEmpty && batchDeleted.isEmpty
  }

  mutating func insert(_ model: any PersistentModel) { inserted.append(model) }

  mutating func withdraw(_ model: any PersistentModel) {
    guard let index = inserted.lastIndex(where: { $0 === model }) else { return }
    inserted.remove(at: index)
  }

  mutating func removeAll() { self = PendingChanges() }
}
