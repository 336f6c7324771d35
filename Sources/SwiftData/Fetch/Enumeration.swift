import Changes
import SQLite
import Store

extension ModelContext {
  /// Calls a closure with each model that a descriptor describes, reading them in batches, so that
  /// memory does not grow with their number.
  ///
  /// Unless `allowEscapingMutations` is set, it throws ``SwiftDataError/contextIsDirty`` as soon as
  /// the closure has changed anything in this context: changed models can't be let go, and would
  /// pile up.
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>,
    batchSize: Int = 5000,
    allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    let guarded = allowEscapingMutations ? nil : changeCount
    func visit(_ batch: [T]) throws {
      try prefetch(fetch.relationshipKeyPathsForPrefetching, of: batch)
      for model in batch {
        try block(model)
        guard let guarded, changeCount != guarded else { continue }
        throw SwiftDataError(
          .contextIsDirty,
          "The context was changed while it enumerated \(_ModelDescription.of(T.self).name). Pass "
            + "allowEscapingMutations: true if that is meant, and save now and then."
        )
      }
    }
    let entity = try entity(of: T.self)
    let size = max(1, batchSize)
    if hasChanges || entity.isCustom(in: container) {
      for batch in try self.fetch(fetch, batchSize: size).batches { try visit(batch) }
      return
    }
    try enumerateSaved(fetch, entity, size, visit)
  }

  /// Reads saved rows with one cursor, which stays open from batch to batch.
  private func enumerateSaved<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription,
    _ batchSize: Int,
    _ visit: ([T]) throws -> Void
  ) throws {
    guard let store = container.nativeStore(of: entity) else { return }
    let plan = container.plan(of: entity, properties: descriptor.propertiesToFetch)
    let sources = SQLSources(
      table: { quoted($0) },
      joinTable: { quoted($0) },
      storeIdentifier: store.identifier
    )
    let query = try FetchQuery(descriptor, plan, map: container.map, sources: sources)
    guard !query.sortsInMemory else { return try visit(fetch(descriptor)) }
    let reader = try store.takeReader()
    defer { store.giveBack(reader) }
    registry.readings[entity.storeIndex].note(reader.head)
    let statement = try reader.connection.prepare("SELECT \(plan.selection) \(query.tail)")
    defer { statement.reset() }
    try query.bind(to: statement)
    var skip = query.offset ?? 0
    var left = query.limit.flatMap { $0 > 0 ? $0 : nil } ?? Int.max
    var more = true
    while more, left > 0 {
      var batch: [T] = []
      while batch.count < min(batchSize, left) {
        more = try statement.step()
        guard more else { break }
        guard let model = try materialize(plan, statement) as? T else { continue }
        if query.filtersInMemory, try descriptor.predicate?.evaluate(model) == false { continue }
        if skip > 0 { skip -= 1 } else { batch.append(model) }
      }
      left -= batch.count
      try visit(batch)
    }
  }

  /// Fetches models so that no more than a batch of them need be in memory at once.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    FetchResultsCollection(
      identifiers: try fetchIdentifiers(descriptor),
      batchSize: max(1, batchSize),
      context: self
    )
  }

  /// Fetches identifiers of models.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    FetchResultsCollection(
      identifiers: try fetchIdentifiers(descriptor),
      batchSize: max(1, batchSize),
      context: self
    )
  }
}
