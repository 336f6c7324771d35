/// What one context knows of the objects of custom stores: a row number for each identity, which is
/// valid only in this context, and snapshots that need not be requested again.
final class StoreIdentities {
  private var rows: [PersistentIdentifier: Int64] = [:]
  private var identifiers: [Int64: PersistentIdentifier] = [:]
  private var lastRow: Int64 = 0
  /// Snapshots that no request selected, but that stores have returned since the last fetch.
  var atHand: [PersistentIdentifier: any DataStoreSnapshot] = [:]

  /// The row number of an identity; the first call assigns it.
  func row(for identifier: PersistentIdentifier) -> Int64 {
    if let row = rows[identifier] { return row }
    lastRow += 1
    rows[identifier] = lastRow
    identifiers[lastRow] = identifier
    return lastRow
  }

  func knownRow(for identifier: PersistentIdentifier) -> Int64? { rows[identifier] }

  func identifier(of row: Int64) -> PersistentIdentifier? { identifiers[row] }

  var isEmpty: Bool { rows.isEmpty }

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
  /// Removes the rows of released objects, except rows that objects in memory still refer to.
  func sweepIdentities() {
    guard !identities.isEmpty else { return }
    let context = context
    // The undo manager may restore a link to an object that is not referenced elsewhere, so all
    // rows are kept.
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
