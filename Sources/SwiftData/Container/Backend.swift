/// How a container reads and writes the objects of one store: through the rows of its tables, or
/// through the snapshots of a custom store.
protocol Backend: Sendable {
  var identifier: String { get }
  /// The store itself if SwiftData keeps it in SQLite; nil for a custom store.
  var native: NativeStore? { get }
  /// Whether the store keeps whole objects, with identities of its choice, both sides of each
  /// relationship, and collections that may be nil.
  ///
  /// Rows keep one side of a relationship, and nil and empty collections are the same in them.
  var keepsWholeObjects: Bool { get }
  /// Whether a write can't be reverted when the rest of a save fails; such stores are written last.
  var isWrittenLast: Bool { get }

  /// Tells the store that a context begins to use it.
  func initializeState(for editingState: EditingState)
  /// Tells the store that a context no longer uses it.
  func invalidateState(for editingState: EditingState)

  /// The objects that a descriptor selects; pending changes are visible.
  func fetch<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [T]
  func count<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> Int
  func identifiers<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [PersistentIdentifier]

  /// Passes the objects that a descriptor selects to a closure in batches, without holding them
  /// all, while no change is pending; returns false if it can't.
  func enumerate<T: PersistentModel>(
    _ fetch: ContextFetch<T>,
    batchSize: Int,
    _ visit: ([T]) throws -> Void
  ) throws -> Bool

  /// Makes the next save delete the objects that a descriptor selects.
  func delete<T: PersistentModel>(_ fetch: ContextFetch<T>) throws

  /// Removes all objects at once; returns false if the caller must delete them one by one.
  func eraseAtOnce() throws -> Bool

  /// Reads the values that an object lacks; returns false if the store no longer has the object.
  func fill(_ state: _ModelState, in context: ModelContext) throws -> Bool

  /// The object with an identity that the store gave, if it is in memory.
  func registered(
    _ id: PersistentIdentifier,
    entity: EntityDescription,
    in context: ModelContext
  ) -> (any PersistentModel)?

  /// Reads objects that are not in memory; skips those that the store does not have.
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

  /// The identity that the store gave to the object of a row, if it gave one.
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

  /// Writes the store's part of a save; calls the closure before it commits, if it can.
  func write(
    _ save: PendingSave,
    storeIndex: Int,
    in context: ModelContext,
    _ writeRest: () throws -> Void
  ) throws

  /// The type of the store's transactions; nil if it has no history, or if its history is read
  /// together with that of other native stores.
  var historyType: (any HistoryTransaction.Type)? { get }
  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
  /// Deletes transactions; false if the store itself has no history of that type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool
}

extension Backend {
  var native: NativeStore? { nil }

  /// The objects with these identities, from memory or else from the store; missing ones are left
  /// out.
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

/// A descriptor, and the context that fetches.
struct ContextFetch<T: PersistentModel> {
  let descriptor: FetchDescriptor<T>
  let entity: EntityDescription
  let context: ModelContext

  var store: any Backend { context.container.store(of: entity) }
}
