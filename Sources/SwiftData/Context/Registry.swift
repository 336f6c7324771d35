import Store

/// The objects of a context that are in memory, by their rows: one object for one row.
///
/// Objects hold on to it, and through it to the container, so that the files stay open while an
/// object is held. Objects that outlive their context read through a new one, which is made here and
/// which no application sees, until a context is given them; see ``Adoption``.
final class Registry {
  let container: ModelContainer
  private weak var current: ModelContext?
  private var replacement: ModelContext?
  /// The identities that stores gave, for those that do not keep rows.
  let identities = StoreIdentities()
  /// The identities that objects have since their save, by the rows of the temporary ones, as far as
  /// somebody knows these.
  var savedIdentifiers: [Int64: PersistentIdentifier] = [:]
  /// How new what was read from each store is.
  var readings: [Reading]
  @exclusivity(unchecked) private var tables: [[Int64: LightReference]]
  /// Further objects that share the state of the one in `tables`, for when that one is gone.
  private var sharing: [[Int64: [LightReference]]]
  private var count = 0
  private var sweepAt = 16_384

  init(_ container: ModelContainer) {
    self.container = container
    readings = Array(repeating: Reading(), count: container.stores.count)
    tables = Array(repeating: [:], count: container.map.tableCount)
    sharing = Array(repeating: [:], count: container.map.tableCount)
  }

  /// Whether the application's context of the objects is gone.
  var isReleased: Bool { current == nil || current === replacement }
  /// The context that the application has the objects from; nil once it was released.
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

  /// The further objects of a row.
  func twins(_ entity: EntityDescription, row: Int64) -> [any PersistentModel] {
    var found: [any PersistentModel] = []
    for reference in sharing[entity.tableIndex][row] ?? [] {
      if let model = reference.model { found.append(model) }
    }
    return found
  }

  /// Remembers an object that shares its state with the one that is registered for its row.
  func addTwin(_ model: any PersistentModel, entity: EntityDescription, row: Int64) {
    sharing[entity.tableIndex][row, default: []].removeAll { $0.model == nil }
    sharing[entity.tableIndex][row, default: []].append(LightReference(model))
  }

  /// Gives up the objects of which a property was changed after the context was released.
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

  /// Makes room for objects that will be added, and are not to be looked through meanwhile.
  func reserve(_ entity: EntityDescription, more: Int) {
    tables[entity.tableIndex].reserveCapacity(tables[entity.tableIndex].count + more)
    sweepAt = max(sweepAt, count + more + 1)
  }

  func remove(_ entity: EntityDescription, row: Int64) {
    tables[entity.tableIndex][row] = nil
    sharing[entity.tableIndex][row] = nil
  }

  /// The identity that the object of an identity has by now.
  func current(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    guard identifier.isTemporary, let row = identifier.row else { return identifier }
    return savedIdentifiers[row] ?? identifier
  }

  /// Drops the entries of objects that are gone; done so rarely that it costs little an object.
  private func sweep() {
    count = 0
    for index in tables.indices {
      sharing[index] = sharing[index].filter { $0.value.contains { $0.model != nil } }
      tables[index] = tables[index].filter { $0.value.model != nil }
      count += tables[index].count
    }
    sweepAt = max(16_384, count * 4)
    sweepIdentities()
  }

  /// The objects of an entity's table, by their rows.
  func table(of entity: EntityDescription) -> [Int64: LightReference] {
    for row in sharing[entity.tableIndex].keys { _ = self[entity, row] }
    return tables[entity.tableIndex]
  }
}

/// How new what a context has read from a store is, as history tells it.
///
/// Attributes and references are brought up to date with each fetch, by the row that it reads.
/// Collections are not in that row. They are read again where somebody else has saved since.
struct Reading {
  /// Goes up whenever it is noticed that somebody else has saved.
  private(set) var number: Int32 = 0
  /// How far the history that is known reaches.
  private var head: Reader.Head?

  /// Takes note of how far the history reaches in what is being read.
  mutating func note(_ head: Reader.Head) {
    if self.head == head { return }
    if self.head != nil { number &+= 1 }
    self.head = head
  }

  /// Takes note of a transaction of the context's own.
  ///
  /// If somebody else has saved between, the next reading is to notice that.
  mutating func noteOwn(_ transaction: Int64) {
    if head == nil || head == .transaction(transaction - 1) { head = .transaction(transaction) }
  }
}
