import Format
import Store

extension CustomSession {
  func fetch<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [T] {
    try CustomFetch(self, fetch: fetch).models()
  }

  func count<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> Int {
    try CustomFetch(self, fetch: fetch).count()
  }

  func identifiers<T: PersistentModel>(_ fetch: ContextFetch<T>) throws -> [PersistentIdentifier] {
    try CustomFetch(self, fetch: fetch).identifiers()
  }

  func enumerate<T: PersistentModel>(
    _ fetch: ContextFetch<T>,
    batchSize: Int,
    _ visit: ([T]) throws -> Void
  ) -> Bool { false }
}

private struct CustomFetch<T: PersistentModel> {
  let session: CustomSession
  let descriptor: FetchDescriptor<T>
  let entity: EntityDescription
  let context: ModelContext

  init(_ session: CustomSession, fetch: ContextFetch<T>) {
    self.session = session
    (descriptor, entity, context) = (fetch.descriptor, fetch.entity, fetch.context)
  }

  /// The snapshots that a custom store found, and whether SwiftData must still filter or sort them.
  private struct Answer {
    var snapshots: [any DataStoreSnapshot]
    var isFiltered = true
    var isSorted = true
  }

  private enum Bearing {
    case none
    /// The fetched entity has pending objects, but the entities that it refers to have none.
    case own
    /// There are pending objects that the predicate or the order may read through a relationship.
    case related
  }

  func models() throws -> [T] {
    session.identities.atHand.removeAll()
    switch bearing {
    case .none: return try fetchSaved()
    case .own, .related:
      return descriptor.includePendingChanges ? try fetchPending() : try fetchUndisturbed()
    }
  }

  /// Counts the objects; the store counts them if there are no pending changes that affect the
  /// number.
  func count() throws -> Int {
    if case .none = bearing, descriptor.includeSubclasses {
      do {
        let count = try session.store.fetchCount(context.storeRequest(descriptor.unordered))
        return descriptor.fetchLimit.flatMap { $0 > 0 ? min($0, count) : nil } ?? count
      } catch DataStoreError.preferInMemoryFilter {
        // The code below fetches the objects and counts them.
      }
    }
    return try context.fetch(descriptor.unordered).count
  }

  /// Fetches identifiers; the store finds them if there are no pending changes that affect the
  /// result.
  func identifiers() throws -> [PersistentIdentifier] {
    if case .none = bearing {
      do {
        return try session.store.fetchIdentifiers(context.storeRequest(descriptor))
          .filter { isWanted($0) }
          .cut(offset: nil, limit: descriptor.fetchLimit)
      } catch let error as DataStoreError
        where error == .preferInMemoryFilter || error == .preferInMemorySort
      {
        // The code below fetches the objects and returns their identifiers.
      }
    }
    return try context.fetch(descriptor).map(\.persistentModelID)
  }

  private var bearing: Bearing {
    guard !context.pending.isEmpty else { return .none }
    var touched: Set<String> = []
    let pending = context.pending
    for model in pending.inserted.elements + pending.changed.elements + pending.deleted.elements {
      touched.insert(model._$state.description.name)
    }
    for deletion in pending.batchDeleted {
      touched.formUnion(context.container.map.family(of: deletion.entity).map(\.name))
    }
    let family = Set(context.container.map.family(of: entity).map(\.name))
    if !touched.isDisjoint(with: reach(of: family)) { return .related }
    return touched.isDisjoint(with: family) ? .none : .own
  }

  /// The entities to which relationships refer, directly or through other entities.
  private func reach(of family: Set<String>) -> Set<String> {
    var reached: Set<String> = []
    var open = Array(family)
    while let name = open.popLast() {
      for relationship in context.container.map[name]?.entity.relationships ?? []
      where !relationship.isHidden {
        guard let target = context.container.map[relationship.destination] else { continue }
        for member in context.container.map.family(of: target)
        where reached.insert(member.name).inserted {
          open.append(member.name)
        }
      }
    }
    return reached
  }

  private func ask(_ descriptor: FetchDescriptor<T>) throws -> Answer {
    var descriptor = descriptor
    var answer = Answer(snapshots: [])
    while true {
      do {
        let found = try session.store.fetch(context.storeRequest(descriptor))
        answer.snapshots = found.fetched
        session.identities.atHand.merge(found.related) { _, last in last }
        return answer
      } catch DataStoreError.preferInMemoryFilter where descriptor.predicate != nil {
        descriptor.predicate = nil
        answer.isFiltered = false
      } catch DataStoreError.preferInMemorySort where !descriptor.sortBy.isEmpty {
        descriptor.sortBy = []
        answer.isSorted = false
      }
      descriptor.fetchLimit = nil
      descriptor.fetchOffset = nil
    }
  }

  private func isWanted(_ identifier: PersistentIdentifier) -> Bool {
    guard let found = context.container.map[identifier.entityName] else { return false }
    return found === entity
      || (descriptor.includeSubclasses && found.model.isKind(of: entity.model))
  }

  private func models(of answer: Answer) throws -> [T] {
    var models: [T] = []
    models.reserveCapacity(answer.snapshots.count)
    // A store may keep objects of all entities together, and return all of them. Objects that were
    // not requested are skipped.
    for snapshot in answer.snapshots where isWanted(snapshot.persistentIdentifier) {
      if let model = try session.materialize(snapshot)
        as? T
      {
        models.append(model)
      }
    }
    return models
  }

  /// Fetches objects if no pending change affects the result.
  private func fetchSaved() throws -> [T] {
    let answer = try ask(descriptor)
    var models: [T] = try models(of: answer)
    if !answer.isFiltered, let predicate = descriptor.predicate {
      models = try models.filter(predicate.evaluate)
    }
    if !answer.isSorted { models.sort(using: descriptor.sortBy) }
    let isWhole = !answer.isFiltered || !answer.isSorted
    return models.cut(
      offset: isWhole ? descriptor.fetchOffset : nil,
      limit: descriptor.fetchLimit
    )
  }

  private func fetchPending() throws -> [T] {
    var whole = descriptor
    whole.sortBy = []
    whole.fetchLimit = nil
    whole.fetchOffset = nil
    let isRelated = if case .related = bearing { true } else { false }
    // The store would evaluate the predicate with the saved values of related objects, so it
    // receives no predicate.
    if isRelated { whole.predicate = nil }
    let answer = try ask(whole)
    let needsEvaluation = isRelated || !answer.isFiltered
    let hidden = Set(context.pending.batchDeleted.flatMap(\.rows))
    var seen: Set<ObjectIdentifier> = []
    func isMatch(_ model: T) throws -> Bool {
      let state = model._$state
      guard seen.insert(ObjectIdentifier(state)).inserted else { return false }
      guard state.phase == .inserting || state.phase == .stored, !hidden.contains(state.row) else {
        return false
      }
      guard needsEvaluation || state.isPending, let predicate = descriptor.predicate else {
        return true
      }
      return try predicate.evaluate(model)
    }
    var models: [T] = try models(of: answer).filter(isMatch)
    for model in context.pending.changed.elements + context.pending.inserted.elements {
      guard let typed = model as? T, model._$state.entity?.storeIndex == entity.storeIndex,
        descriptor.includeSubclasses || model._$state.entity === entity, try isMatch(typed)
      else { continue }
      models.append(typed)
    }
    if !descriptor.sortBy.isEmpty { models.sort(using: descriptor.sortBy) }
    return models.cut(offset: descriptor.fetchOffset, limit: descriptor.fetchLimit)
  }

  /// Fetches by saved values although there are pending changes.
  ///
  /// A separate context fetches the identifiers, so that filtering and sorting in memory does not
  /// see the changes.
  private func fetchUndisturbed() throws -> [T] {
    let other = ModelContext(context.container)
    let identifiers = try other.fetch(descriptor).map(\.persistentModelID)
    let found = try session.models(for: identifiers)
    return identifiers.compactMap { found[$0] as? T }
  }
}
