/// How the objects of one store of a container are read and written: by the rows of its
/// tables, or by the snapshots that a custom store gives and takes.
protocol Backend: Sendable {
  var identifier: String { get }
  /// The store itself if SwiftData keeps it in SQLite; nil for a custom store.
  var native: NativeStore? { get }
  /// Whether objects are kept whole: under the identity that the store gave them, with relationships
  /// on both sides and with collections that are nil. Rows keep a relationship on one side, and
  /// can't tell nil from empty.
  var keepsWholeObjects: Bool { get }
  /// Whether what was written can't be taken back when the rest of a save fails.
  var isWrittenLast: Bool { get }

  // MARK: Contexts

  /// Learns of a context that will ask.
  func initializeState(for editingState: EditingState)
  /// Learns that a context will ask no more.
  func invalidateState(for editingState: EditingState)

  // MARK: Descriptors

  /// The objects that a descriptor describes; changes that are not saved are seen.
  func fetch<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [T]
  func count<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> Int
  func identifiers<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [PersistentIdentifier]

  /// Calls a closure with batches of the objects that a descriptor describes while nothing is
  /// pending, without holding them all; returns false if it can't.
  func enumerate<T: PersistentModel>(
    _ fetch: ContextFetch<T>,
    batchSize: Int,
    _ visit: ([T]) throws -> Void
  ) throws -> Bool

  /// Has the next save delete the objects that a descriptor describes.
  func delete<T: PersistentModel>(_ fetch: ContextFetch<T>) throws

  /// Removes all objects at once; returns false if they are to be deleted one by one.
  func eraseAtOnce() throws -> Bool

  // MARK: Objects

  /// Reads the values that an object does not have; returns false if the store has the object no
  /// more.
  func fill(_ state: _ModelState, in context: ModelContext) throws -> Bool

  /// The object of an identity that the store gave, if it is in memory.
  func registered(
    _ id: PersistentIdentifier,
    entity: EntityDescription,
    in context: ModelContext
  ) -> (any PersistentModel)?

  /// Reads objects that are not in memory; those that the store does not have are left out.
  func read(
    _ identifiers: [PersistentIdentifier],
    into found: inout [PersistentIdentifier: any PersistentModel],
    storeIndex: Int,
    in context: ModelContext
  ) throws

  /// The object of a row of the context, which is not in memory; nil if there is no such object.
  func model(
    of entity: EntityDescription,
    row: Int64,
    in context: ModelContext
  ) throws -> (any PersistentModel)?

  /// The identity that the store gave to what a row of the context stands for, if it gave one.
  func identifier(of row: Int64, in context: ModelContext) -> PersistentIdentifier?

  /// A value that is kept in a file beside the store.
  func externalData(_ digest: String) throws -> Data?

  /// Reads what a to-one relationship leads to; nil if the store has the object no more.
  func toOne(of state: _ModelState, at index: Int, in context: ModelContext) throws -> ToOne?

  /// Reads the objects that a to-many relationship leads to.
  func load(
    _ many: ToMany,
    of state: _ModelState,
    property: PropertyDescription,
    destination: EntityDescription,
    in context: ModelContext
  ) throws

  /// Reads the objects that a relationship of many objects leads to, all at once.
  func prefetch(
    _ property: PropertyDescription,
    of states: [_ModelState],
    in context: ModelContext
  ) throws

  // MARK: Saves and history

  /// Writes its part of a save, and has the rest of the save written before it commits, if it can.
  func write(
    _ save: PendingSave,
    storeIndex: Int,
    in context: ModelContext,
    _ writeRest: () throws -> Void
  ) throws

  /// The type of the transactions of a history that the store reads itself; nil if it has none,
  /// and for the stores whose history is read for all of them together.
  var historyType: (any HistoryTransaction.Type)? { get }
  /// Finds transactions; nil if the store itself has no history of that type.
  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
  /// Deletes transactions; false if the store itself has no history of that type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool
}

extension Backend {
  /// The objects of identities; those that the store does not have are left out.
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

/// A descriptor, and the context that asks for what it describes.
struct ContextFetch<T: PersistentModel> {
  let descriptor: FetchDescriptor<T>
  let entity: EntityDescription
  let context: ModelContext

  var store: any Backend { context.container.store(of: entity) }
}
