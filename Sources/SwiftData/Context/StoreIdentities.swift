/// What a context knows of the objects to which their stores gave identities: the rows that stand for
/// these in this context, and the snapshots that it need not ask for again.
final class StoreIdentities {
  private var rows: [PersistentIdentifier: Int64] = [:]
  private var identifiers: [Int64: PersistentIdentifier] = [:]
  private var lastRow: Int64 = 0
  /// Snapshots that came along with others since the last fetch.
  var atHand: [PersistentIdentifier: any DataStoreSnapshot] = [:]

  /// The row of an identity, given to it when it is first met.
  func row(for identifier: PersistentIdentifier) -> Int64 {
    if let row = rows[identifier] { return row }
    lastRow += 1
    rows[identifier] = lastRow
    identifiers[lastRow] = identifier
    return lastRow
  }

  /// The row of an identity that was met before.
  func knownRow(for identifier: PersistentIdentifier) -> Int64? { rows[identifier] }

  /// The identity that a row stands for.
  func identifier(of row: Int64) -> PersistentIdentifier? { identifiers[row] }

  var isEmpty: Bool { rows.isEmpty }

  /// Forgets all rows but those that somebody refers to.
  func keepOnly(_ used: Set<Int64>) {
    for (row, identifier) in identifiers where !used.contains(row) {
      rows[identifier] = nil
      identifiers[row] = nil
    }
  }
}

extension ModelContext {
  var identities: StoreIdentities { registry.identities }
}

extension Registry {
  /// Forgets the rows of objects that are gone, unless one that is there leads to them.
  func sweepIdentities() {
    guard !identities.isEmpty else { return }
    let context = context
    // What can be taken back may lead to objects that nothing else leads to.
    guard context.undoManager == nil else { return }
    var used: Set<Int64> = []
    for entity in container.map.entities where container.store(of: entity).keepsWholeObjects {
      for (row, reference) in table(of: entity) {
        guard let state = reference.model?._$state else { continue }
        used.insert(row)
        used.insert(state.row)
        for index in state.slots.indices {
          if let target = state.toOneRow(index) { used.insert(target) }
        }
      }
    }
    for model in context.pending.inserted.elements {
      for index in model._$state.slots.indices {
        if let target = model._$state.toOneRow(index) { used.insert(target) }
      }
    }
    for deletion in context.pending.batchDeleted { used.formUnion(deletion.rows) }
    identities.keepOnly(used)
  }
}
