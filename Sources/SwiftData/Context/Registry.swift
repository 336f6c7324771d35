import Store

/// The objects of a context that are in memory, one for each row.
///
/// An object keeps the registry alive, and the registry keeps the container alive, so that files
/// remain open while an object exists. Objects that outlive their context read through a
/// replacement context, which the registry creates and the application never sees; see
/// ``ObjectTransfer``.
final class Registry {
  let container: ModelContainer
  private weak var current: ModelContext?
  private var replacement: ModelContext?
  private(set) var sessions: [any StoreSession] = []
  /// For each saved object whose temporary identity the application may know: its permanent
  /// identity, by its temporary row.
  var savedIdentifiers: [Int64: PersistentIdentifier] = [:]
  var readings: [Reading]
  @exclusivity(unchecked) private var tables: [[Int64: LightReference]]
  /// The objects that an upsert merged into an object in `tables`; they share the state of that
  /// object.
  ///
  /// If an object in `tables` is released, one of the objects that were merged into it replaces it.
  private var sharing: [[Int64: [LightReference]]]
  private var count = 0
  private var sweepAt = 16_384

  init(_ container: ModelContainer) {
    self.container = container
    readings = Array(repeating: Reading(), count: container.stores.count)
    tables = Array(repeating: [:], count: container.map.tableCount)
    sharing = Array(repeating: [:], count: container.map.tableCount)
    for (index, store) in container.stores.enumerated() {
      sessions.append(store.session(for: self, storeIndex: index))
    }
  }

  /// Whether the context that the application created no longer exists.
  var isReleased: Bool { current == nil || current === replacement }
  /// The context that the application created; nil after its release.
  var visibleContext: ModelContext? { isReleased ? nil : current }

  var context: ModelContext {
    if let current { return current }
    let context = ModelContext(container, replacingThatOf: self)
    replacement = context
    current = context
    return context
  }

  func serve(_ context: ModelContext) { current = context }

  subscript(entity: EntityDescription, row: Int64) -> (any PersistentModel)? {
    if let model = tables[entity.tableIndex][row]?.model { return model }
    guard let model = twins(entity, row: row).first else { return nil }
    tables[entity.tableIndex][row] = model._$state.reference(to: model)
    return model
  }

  func twins(_ entity: EntityDescription, row: Int64) -> [any PersistentModel] {
    var found: [any PersistentModel] = []
    for reference in sharing[entity.tableIndex][row] ?? [] {
      if let model = reference.model { found.append(model) }
    }
    return found
  }

  /// Registers an object that shares its state with the registered object of its row.
  func addTwin(_ model: any PersistentModel, entity: EntityDescription, row: Int64) {
    sharing[entity.tableIndex][row, default: []].removeAll { $0.model == nil }
    sharing[entity.tableIndex][row, default: []].append(LightReference(model))
  }

  /// Removes and returns the objects whose `property` changed after the release of the context.
  func takeChanged(_ property: PropertyDescription) -> [any PersistentModel] {
    guard let replacement else { return [] }
    func isChanged(_ model: any PersistentModel) -> Bool {
      let state = model._$state
      return state.registry === self && state.changed.contains(property.index)
        && state.description.property(named: property.name)?.owner == property.owner
    }
    let found = replacement.pending.changed.elements.filter(isChanged)
    for model in found { replacement.pending.changed.remove(model) }
    return found
  }

  func add(_ reference: LightReference, entity: EntityDescription, row: Int64) {
    tables[entity.tableIndex][row] = reference
    count += 1
    if count >= sweepAt { sweep() }
  }

  /// Reserves space for objects that will be added; no sweep runs until they are added.
  func reserve(_ entity: EntityDescription, more: Int) {
    tables[entity.tableIndex].reserveCapacity(tables[entity.tableIndex].count + more)
    sweepAt = max(sweepAt, count + more + 1)
  }

  func remove(_ entity: EntityDescription, row: Int64) {
    tables[entity.tableIndex][row] = nil
    sharing[entity.tableIndex][row] = nil
  }

  /// The current identity of an object, for an identity that may be temporary.
  func current(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    guard identifier.isTemporary, let row = identifier.row else { return identifier }
    return savedIdentifiers[row] ?? identifier
  }

  /// Removes the entries of released objects.
  ///
  /// Sweeps are rare, so that the cost for each object is small.
  private func sweep() {
    count = 0
    for index in tables.indices {
      sharing[index] = sharing[index].filter { $0.value.contains { $0.model != nil } }
      tables[index] = tables[index].filter { $0.value.model != nil }
      count += tables[index].count
    }
    sweepAt = max(16_384, count * 4)
    for session in sessions { session.sweep() }
  }

  func table(of entity: EntityDescription) -> [Int64: LightReference] {
    for row in sharing[entity.tableIndex].keys { _ = self[entity, row] }
    return tables[entity.tableIndex]
  }
}

/// How recently a context has read a store, measured by the head of the store's history.
///
/// A fetch updates attributes and references from the rows that it reads. Collections are not in
/// these rows: a context reads them again after another context or process has saved.
struct Reading {
  /// A number that increases when the context detects a save by another context or process.
  private(set) var number: Int32 = 0
  private var head: Reader.Head?

  mutating func note(_ head: Reader.Head) {
    if self.head == head { return }
    if self.head != nil { number &+= 1 }
    self.head = head
  }

  /// Records the end of a transaction of this context.
  ///
  /// If a save by another context or process precedes the transaction, the next fetch detects the
  /// save.
  mutating func noteOwn(_ own: Reader.Head) {
    let before = Reader.Head(transaction: own.transaction - 1, clock: own.clock)
    if head == nil || head == before { head = own }
  }
}
