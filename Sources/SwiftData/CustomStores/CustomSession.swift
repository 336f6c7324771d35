import Store

/// How one context reads and writes the snapshots of a custom store.
final class CustomSession: StoreSession {
  let store: CustomStore
  let container: ModelContainer
  unowned let registry: Registry
  let storeIndex: Int
  let identities = StoreIdentities()

  init(_ store: CustomStore, registry: Registry, storeIndex: Int) {
    self.store = store
    container = registry.container
    self.registry = registry
    self.storeIndex = storeIndex
  }

  var keepsWholeObjects: Bool { true }

  func row(of state: _ModelState) -> Int64 {
    state.storeKey.map(identities.row(for:)) ?? state.row
  }

  func forgetChanges() { identities.atHand.removeAll() }
  func close() {}

  /// Removes the rows of released objects, except rows that objects in memory still refer to.
  func sweep() {
    guard !identities.isEmpty else { return }
    let context = context
    // The undo manager may restore a link to an object that is not referenced elsewhere, so all
    // rows are kept.
    guard context.undoManager == nil else { return }
    var used: Set<Int64> = []
    for entity in map.entities where entity.storeIndex == storeIndex {
      for (row, reference) in registry.table(of: entity) {
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

extension CustomStore: Backend {
  var file: Store? { nil }
  var isWrittenLast: Bool { true }

  func session(for registry: Registry, storeIndex: Int) -> any StoreSession {
    CustomSession(self, registry: registry, storeIndex: storeIndex)
  }

  func externalData(_ digest: String) -> Data? { nil }
}
