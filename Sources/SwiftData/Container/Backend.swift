import Store

/// How a container reads and writes the objects of one store: through the rows of its tables, or
/// through the snapshots of a custom store.
protocol Backend: Sendable {
  var identifier: String { get }
  /// The store if it is a file of SQLite, to which other processes may write.
  var file: Store? { get }
  /// Whether the store records whole objects: the store chooses the objects' identities, records
  /// both sides of each relationship, and distinguishes a nil collection from an empty one.
  ///
  /// Rows record only one side of a relationship, and do not distinguish nil from an empty
  /// collection.
  var keepsWholeObjects: Bool { get }
  /// Whether the store can't revert a write if a later part of the save fails.
  ///
  /// A save writes such a store last.
  var isWrittenLast: Bool { get }

  /// Tells the store that a context begins to use the store.
  func initializeState(for editingState: EditingState)
  /// Tells the store that a context no longer uses the store.
  func invalidateState(for editingState: EditingState)

  /// The objects that a descriptor selects, including pending changes.
  func fetch<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [T]
  func count<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> Int
  func identifiers<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [PersistentIdentifier]

  /// Passes the selected objects to a closure in batches, to limit the use of memory.
  ///
  /// Returns false if batches are not possible, for example while changes are pending.
  func enumerate<T: PersistentModel>(
    _ fetch: ContextFetch<T>,
    batchSize: Int,
    _ visit: ([T]) throws -> Void
  ) throws -> Bool

  /// Makes the next save delete the objects that a descriptor selects.
  func delete<T: PersistentModel>(_ fetch: ContextFetch<T>) throws

  /// Removes all objects in one operation; returns false if the caller must delete them one by one.
  func eraseAtOnce() throws -> Bool

  /// Reads missing values of an object; returns false if the store no longer contains the object.
  func fill(_ state: _ModelState, in context: ModelContext) throws -> Bool

  /// The object with an identity that the store assigned; nil if the object is not in memory.
  func registered(
    _ id: PersistentIdentifier,
    entity: EntityDescription,
    in context: ModelContext
  ) -> (any PersistentModel)?

  /// Reads objects that are not in memory; skips objects that the store does not contain.
  func read(
    _ identifiers: [PersistentIdentifier],
    into found: inout [PersistentIdentifier: any PersistentModel],
    storeIndex: Int,
    in context: ModelContext
  ) throws

  /// Reads the object of a row; nil if there is no such object.
  func model(
    of entity: EntityDescription,
    row: Int64,
    in context: ModelContext
  ) throws -> (any PersistentModel)?

  /// The identity that the store assigned to the object of a row; nil if the store assigned none.
  func identifier(of row: Int64, in context: ModelContext) -> PersistentIdentifier?

  func externalData(_ digest: String) throws -> Data?

  /// Reads the destination of a to-one relationship; nil if the store no longer has the object.
  func toOne(of state: _ModelState, at index: Int, in context: ModelContext) throws -> ToOne?

  func load(
    _ many: ToMany,
    of state: _ModelState,
    property: PropertyDescription,
    destination: EntityDescription,
    in context: ModelContext
  ) throws

  /// Reads the destinations of a relationship for many objects at once.
  func prefetch(
    _ property: PropertyDescription,
    of states: [_ModelState],
    in context: ModelContext
  ) throws

  /// Writes the changes of a save that belong to this store; calls the closure before the commit if
  /// the store allows it.
  func write(
    _ save: PendingSave,
    storeIndex: Int,
    in context: ModelContext,
    _ writeRest: () throws -> Void
  ) throws

  /// The type of the store's transactions. Nil if the store has no history; also nil for native
  /// stores, whose histories are read together.
  var historyType: (any HistoryTransaction.Type)? { get }
  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
  /// Deletes transactions; returns false if the store does not have a history with transactions of
  /// this type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool
}

extension Backend {
  /// The objects with these identities, from memory or from the store; objects that do not exist
  /// are left out.
  func models(
    for identifiers: [PersistentIdentifier],
    storeIndex: Int,
    in context: ModelContext
  ) throws -> [PersistentIdentifier: any PersistentModel] {
    var found: [PersistentIdentifier: any PersistentModel] = [:]
    var missing: [PersistentIdentifier] = []
    for id in identifiers where found[id] == nil {
      guard let entity = context.container.map[id.entityName] else { continue }
      found[id] = registered(id, entity: entity, in: context)
      if found[id] == nil { missing.append(id) }
    }
    if !missing.isEmpty {
      try read(missing, into: &found, storeIndex: storeIndex, in: context)
    }
    return found
  }
}

struct ContextFetch<T: PersistentModel> {
  let descriptor: FetchDescriptor<T>
  let entity: EntityDescription
  let context: ModelContext

  var store: any Backend { context.container.store(of: entity) }
}
