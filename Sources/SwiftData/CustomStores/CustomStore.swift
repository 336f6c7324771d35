/// Serializes calls to a custom store of a container, so that any thread can call the store.
final class CustomStore: @unchecked Sendable {
  // The store is called only inside of the lock.
  private let store: any DataStore
  /// The lock is recursive, because the store may call SwiftData, which may call the store.
  private let lock = NSRecursiveLock()
  let identifier: String
  private let entities: [String: _ModelDescription]

  struct Found {
    var fetched: [any DataStoreSnapshot]
    var related: [PersistentIdentifier: any DataStoreSnapshot]
  }

  struct Saved {
    var remapped: [PersistentIdentifier: PersistentIdentifier]
    var reregistered: [PersistentIdentifier: any DataStoreSnapshot]
  }

  static func open<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration,
    models: [_ModelDescription],
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> CustomStore {
    let entities = models.keyed(by: \.name)
    SnapshotEntities.register(models)
    // The initializer of a store may decode snapshots, for which it needs the entities.
    let store = try SnapshotEntities.$current.withValue(entities) {
      try Configuration.Store(configuration, migrationPlan: migrationPlan)
    }
    SnapshotEntities.register(entities, ofStore: store.identifier)
    return CustomStore(store, entities: entities)
  }

  private init(_ store: any DataStore, entities: [String: _ModelDescription]) {
    self.store = store
    self.entities = entities
    identifier = store.identifier
  }

  private func perform<Result>(_ body: (any DataStore) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try SnapshotEntities.$current.withValue(entities) { try body(store) }
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Found {
    func open<Opened: DataStore>(_ store: Opened) throws -> Found {
      let result = try store.fetch(request)
      return Found(fetched: result.fetchedSnapshots, related: result.relatedSnapshots)
    }
    return try perform { try open($0) }
  }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try perform { try $0.fetchCount(request) }
  }

  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try perform { try $0.fetchIdentifiers(request) }
  }

  func cachedSnapshots(
    _ identifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: any DataStoreSnapshot] {
    func open<Opened: DataStore>(
      _ store: Opened
    ) throws -> [PersistentIdentifier: any DataStoreSnapshot] {
      try store.cachedSnapshots(for: identifiers, editingState: editingState)
    }
    return try perform { try open($0) }
  }

  /// Makes the store write a save; `check` runs after the snapshots are taken and before they are
  /// written.
  func save(
    inserted: [_ModelState],
    updated: [_ModelState],
    deleted: [_ModelState],
    editingState: EditingState,
    check: () throws -> Void
  ) throws -> Saved {
    func open<Opened: DataStore>(_ store: Opened) throws -> Saved {
      let request = DataStoreSaveChangesRequest(
        editingState: editingState,
        inserted: try inserted.map { try $0.snapshot(Opened.Snapshot.self) },
        updated: try updated.map { try $0.snapshot(Opened.Snapshot.self) },
        deleted: try deleted.map { try $0.snapshot(Opened.Snapshot.self) }
      )
      try check()
      let result = try store.save(request)
      return Saved(
        remapped: result.remappedIdentifiers,
        reregistered: result.snapshotsToReregister
      )
    }
    return try perform { try open($0) }
  }

  var canBatch: Bool { store is any DataStoreBatching }

  func deleteBatch<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    try perform { store in
      guard let store = store as? any DataStoreBatching else {
        throw DataStoreError.unsupportedFeature
      }
      try store.delete(request)
    }
  }

  var historyType: (any HistoryTransaction.Type)? {
    func type<Provider: HistoryProviding>(_: Provider) -> any HistoryTransaction.Type {
      Provider.HistoryType.self
    }
    return perform { store in (store as? any HistoryProviding).map { type($0) } }
  }

  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    func open<Provider: HistoryProviding>(_ provider: Provider) throws -> [T]? {
      guard let own = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return nil }
      return try provider.fetchHistory(own) as? [T]
    }
    return try perform { try ($0 as? any HistoryProviding).flatMap { try open($0) } }
  }

  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    func open<Provider: HistoryProviding>(_ provider: Provider) throws -> Bool {
      guard let own = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return false }
      try provider.deleteHistory(own)
      return true
    }
    return try perform { try ($0 as? any HistoryProviding).map { try open($0) } ?? false }
  }

  func eraseAtOnce() throws -> Bool {
    do { try perform { try $0.erase() } } catch DataStoreError.unsupportedFeature { return false }
    return true
  }

  func initializeState(for editingState: EditingState) {
    perform { $0.initializeState(for: editingState) }
  }

  func invalidateState(for editingState: EditingState) {
    perform { $0.invalidateState(for: editingState) }
  }
}

extension _ModelState {
  fileprivate func snapshot<Snapshot: DataStoreSnapshot>(_: Snapshot.Type) throws -> Snapshot {
    if Snapshot.self is DefaultSnapshot.Type,
      let snapshot = DefaultSnapshot(try SnapshotValues(self)) as? Snapshot
    {
      return snapshot
    }
    // The related objects are not used, because they are already in the context.
    var related: [PersistentIdentifier: any BackingData] = [:]
    return Snapshot(from: backingData, relatedBackingDatas: &related)
  }
}

extension ModelContext {
  func storeRequest<T>(_ descriptor: FetchDescriptor<T>) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: descriptor, editingState: editingState)
  }
}
