import Store

/// How one context reads and writes the rows of a native store.
final class NativeSession: StoreSession {
  let native: NativeStore
  let container: ModelContainer
  unowned let registry: Registry
  let storeIndex: Int
  /// The pending changes of the context as SQL sees them; nil before the first fetch that needs
  /// them.
  var overlay: PendingOverlay?

  init(_ native: NativeStore, registry: Registry, storeIndex: Int) {
    self.native = native
    container = registry.container
    self.registry = registry
    self.storeIndex = storeIndex
  }

  deinit { close() }

  var store: Store { native.store }
  var identifier: String { native.identifier }
  var keepsWholeObjects: Bool { false }

  func identifier(of row: Int64) -> PersistentIdentifier? { nil }
  func row(of state: _ModelState) -> Int64 { state.row }
  func forgetChanges() { overlay?.clear() }
  func sweep() {}

  func close() {
    overlay?.close()
    overlay = nil
  }

  func write(_ save: PendingSave, _ writeRest: () throws -> Void) throws {
    try native.write(save, storeIndex: storeIndex, in: save.context, writeRest)
  }
}
