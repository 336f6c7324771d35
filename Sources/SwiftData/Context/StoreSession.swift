/// How one context reads and writes the objects of one store: through the rows of its tables, or
/// through the snapshots of a custom store.
///
/// Like the registry, a session serves the objects that outlive their context.
protocol StoreSession: AnyObject {
  var container: ModelContainer { get }
  var registry: Registry { get }
  /// Whether the store records whole objects: the store chooses the objects' identities, records
  /// both sides of each relationship, and distinguishes a nil collection from an empty one.
  ///
  /// Rows record only one side of a relationship, and do not distinguish nil from an empty
  /// collection.
  var keepsWholeObjects: Bool { get }

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

  /// Reads missing values of an object; returns false if the store no longer contains the object.
  func fill(_ state: _ModelState) throws -> Bool

  /// The object with an identity that the store assigned; nil if the object is not in memory.
  func registered(_ id: PersistentIdentifier, entity: EntityDescription) -> (any PersistentModel)?

  /// Reads objects that are not in memory; skips objects that the store does not contain.
  func read(
    _ identifiers: [PersistentIdentifier],
    into found: inout [PersistentIdentifier: any PersistentModel]
  ) throws

  /// Reads the object of a row; nil if there is no such object.
  func model(of entity: EntityDescription, row: Int64) throws -> (any PersistentModel)?

  /// The identity that the store assigned to the object of a row; nil if the store assigned none.
  func identifier(of row: Int64) -> PersistentIdentifier?

  /// Reads the destination of a to-one relationship; nil if the store no longer has the object.
  func toOne(of state: _ModelState, at index: Int) throws -> ToOne?

  func load(
    _ many: ToMany,
    of state: _ModelState,
    property: PropertyDescription,
    destination: EntityDescription
  ) throws

  /// Reads the destinations of a relationship for many objects at once.
  func prefetch(_ property: PropertyDescription, of states: [_ModelState]) throws

  /// Writes the changes of a save that belong to this store; calls the closure before the commit if
  /// the store allows it.
  func write(_ save: PendingSave, _ writeRest: () throws -> Void) throws

  /// The row that an object of another context has in this session.
  func row(of state: _ModelState) -> Int64
  /// Forgets the pending changes, because they were saved or discarded.
  func forgetChanges()
  /// Forgets what is known of objects that are no longer in memory.
  func sweep()
  /// Closes what only the context used, because the context was released.
  func close()
}

extension StoreSession {
  var context: ModelContext { registry.context }
  var map: EntityMap { container.map }

  /// The objects with these identities, from memory or from the store; objects that do not exist
  /// are left out.
  func models(
    for identifiers: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: any PersistentModel] {
    var found: [PersistentIdentifier: any PersistentModel] = [:]
    var missing: [PersistentIdentifier] = []
    for id in identifiers where found[id] == nil {
      guard let entity = map[id.entityName] else { continue }
      found[id] = registered(id, entity: entity)
      if found[id] == nil { missing.append(id) }
    }
    if !missing.isEmpty { try read(missing, into: &found) }
    return found
  }
}

struct ContextFetch<T: PersistentModel> {
  let descriptor: FetchDescriptor<T>
  let entity: EntityDescription
  let context: ModelContext

  var session: any StoreSession { context.session(of: entity) }
}
