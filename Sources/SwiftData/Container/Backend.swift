import Store

/// A store of a container; each context reads and writes its objects through a session.
protocol Backend: Sendable {
  var identifier: String { get }
  /// The store if it is a file of SQLite, to which other processes may write.
  var file: Store? { get }
  /// Whether the store can't revert a write if a later part of the save fails.
  ///
  /// A save writes such a store last.
  var isWrittenLast: Bool { get }

  /// The use of the store by the objects of a registry.
  func session(for registry: Registry, storeIndex: Int) -> any StoreSession

  /// Tells the store that a context begins to use the store.
  func initializeState(for editingState: EditingState)
  /// Tells the store that a context no longer uses the store.
  func invalidateState(for editingState: EditingState)

  /// Removes all objects in one operation; returns false if the caller must delete them one by one.
  func eraseAtOnce() throws -> Bool

  func externalData(_ digest: String) throws -> Data?

  /// The type of the store's transactions. Nil if the store has no history; also nil for native
  /// stores, whose histories are read together.
  var historyType: (any HistoryTransaction.Type)? { get }
  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
  /// Deletes transactions; returns false if the store does not have a history with transactions of
  /// this type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool
}
