import Store

extension NativeStore: Backend {
  var file: Store? { configuration.isStoredInMemoryOnly ? nil : store }
  var isWrittenLast: Bool { false }
  var historyType: (any HistoryTransaction.Type)? { nil }

  func session(for registry: Registry, storeIndex: Int) -> any StoreSession {
    NativeSession(self, registry: registry, storeIndex: storeIndex)
  }

  func initializeState(for editingState: EditingState) {}
  func invalidateState(for editingState: EditingState) {}
  func eraseAtOnce() -> Bool { false }
  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) -> [T]? { nil }
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) -> Bool { false }

  func externalData(_ digest: String) throws -> Data? {
    try store.read { try $0.externalData(digest) }
  }
}

extension Backend {
  /// The store if it is in SQLite; nil for a custom store.
  var native: NativeStore? { self as? NativeStore }
}
