/// The objects of a context that are in memory, by their rows: one object for one row.
///
/// Objects hold on to it, and through it to the container, so that the files stay open while an
/// object is held. An object that outlives its context finds a new one here, the same for all that
/// came from the old one.
final class Registry {
  let container: ModelContainer
  private weak var current: ModelContext?
  private var replacement: ModelContext?
  /// What is known of the objects of stores that are not ours.
  let custom = CustomObjects()
  /// The identities that objects have since their save, by the rows of the temporary ones, as far as
  /// somebody knows these.
  var savedIdentifiers: [Int64: PersistentIdentifier] = [:]
  /// How new what was read from each store is.
  var readings: [Reading]
  @exclusivity(unchecked) private var tables: [[Int64: LightReference]]
  private var count = 0
  private var sweepAt = 16_384

  init(_ container: ModelContainer) {
    self.container = container
    readings = Array(repeating: Reading(), count: container.stores.count)
    tables = Array(repeating: [:], count: container.map.tableCount)
  }

  /// The context of the objects.
  var context: ModelContext {
    if let current { return current }
    let context = ModelContext(container, replacingThatOf: self)
    replacement = context
    current = context
    return context
  }

  func serve(_ context: ModelContext) { current = context }

  subscript(entity: EntityDescription, row: Int64) -> (any PersistentModel)? {
    tables[entity.tableIndex][row]?.model
  }

  func add(_ reference: LightReference, _ entity: EntityDescription, row: Int64) {
    tables[entity.tableIndex][row] = reference
    count += 1
    if count >= sweepAt { sweep() }
  }

  /// Makes room for objects that will be added, and are not to be looked through meanwhile.
  func reserve(_ entity: EntityDescription, _ more: Int) {
    tables[entity.tableIndex].reserveCapacity(tables[entity.tableIndex].count + more)
    sweepAt = max(sweepAt, count + more + 1)
  }

  func remove(_ entity: EntityDescription, row: Int64) {
    tables[entity.tableIndex][row] = nil
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
      tables[index] = tables[index].filter { $0.value.model != nil }
      count += tables[index].count
    }
    sweepAt = max(16_384, count * 4)
    sweepCustomRows()
  }

  /// The objects of an entity's table, by their rows.
  func table(of entity: EntityDescription) -> [Int64: LightReference] { tables[entity.tableIndex] }
}
