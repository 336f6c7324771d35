import Changes

// Objects of custom stores, which snapshots create and update.

extension ModelContext {
  /// The object of an identity that a store gave, if it is in memory.
  func customModel(for id: PersistentIdentifier) -> (any PersistentModel)? {
    guard let entity = container.map[id.entityName], let row = identities.knownRow(for: id) else {
      return nil
    }
    return registry[entity, row]
  }
}

extension CustomStore {
  /// The object of a snapshot, from memory or new; nil if its entity belongs to another store.
  func materialize(
    _ snapshot: any DataStoreSnapshot,
    storeIndex: Int,
    in context: ModelContext
  ) throws -> (any PersistentModel)? {
    let identifier = snapshot.persistentIdentifier
    guard let entity = context.container.map[identifier.entityName],
      entity.storeIndex == storeIndex
    else { return nil }
    return try context.materialize(
      entity,
      row: context.identities.row(for: identifier),
      storeKey: identifier,
      values: StoredSnapshot(
        values: try SnapshotValues.of(snapshot, as: entity.model),
        identities: context.identities
      )
    )
  }

  /// The snapshots of identities: those at hand, then the store's cached ones, then the rest by one
  /// fetch for each entity.
  func snapshots(
    for identifiers: [PersistentIdentifier],
    in context: ModelContext
  ) throws -> [PersistentIdentifier: any DataStoreSnapshot] {
    var found: [PersistentIdentifier: any DataStoreSnapshot] = [:]
    var missing: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let snapshot = context.identities.atHand[identifier] {
        found[identifier] = snapshot
      } else if !identifier.isTemporary || context.identities.knownRow(for: identifier) != nil {
        missing.append(identifier)
      }
    }
    guard !missing.isEmpty else { return found }
    let cached = try cachedSnapshots(missing, editingState: context.editingState)
    found.merge(cached) { first, _ in first }
    let rest = Dictionary(grouping: missing.filter { found[$0] == nil }, by: \.entityName)
    for (name, identifiers) in rest {
      guard let entity = context.container.map[name] else { continue }
      let fetched = try fetchSnapshots(Set(identifiers), type: entity.model.type, in: context)
      found.merge(fetched) { first, _ in first }
    }
    return found
  }

  private func fetchSnapshots<T: PersistentModel>(
    _ wanted: Set<PersistentIdentifier>,
    type: T.Type,
    in context: ModelContext
  ) throws -> [PersistentIdentifier: any DataStoreSnapshot] {
    var descriptor = FetchDescriptor<T>()
    descriptor.includePendingChanges = false
    if wanted.count == 1, let identifier = wanted.first {
      descriptor.predicate = #Predicate { $0.persistentModelID == identifier }
    } else {
      let identifiers = Array(wanted)
      descriptor.predicate = #Predicate { identifiers.contains($0.persistentModelID) }
    }
    let result: Found
    do { result = try fetch(context.storeRequest(descriptor)) } catch is DataStoreError {
      // The program did not write this predicate, so the store need not support it.
      descriptor.predicate = nil
      result = try fetch(context.storeRequest(descriptor))
    }
    var found: [PersistentIdentifier: any DataStoreSnapshot] = [:]
    for snapshot in result.fetched {
      if wanted.contains(snapshot.persistentIdentifier) {
        found[snapshot.persistentIdentifier] = snapshot
      } else {
        // The store returned more than requested, and would do so for the next object too.
        context.identities.atHand[snapshot.persistentIdentifier] = snapshot
      }
    }
    context.identities.atHand.merge(result.related) { first, _ in first }
    return found
  }

  func values(
    of state: _ModelState,
    in context: ModelContext
  ) throws -> SnapshotValues? {
    guard let identifier = state.storeKey else { return nil }
    guard let snapshot = try snapshots(for: [identifier], in: context)[identifier] else {
      return nil
    }
    return try SnapshotValues.of(snapshot, as: state.description)
  }
}

struct StoredSnapshot: StoredValues {
  let values: SnapshotValues
  let identities: StoreIdentities

  func forEach(
    of state: _ModelState,
    _ body: (PropertyDescription, Slot) throws -> Void
  ) throws {
    for property in values.description.properties where !state.changed.contains(property.index) {
      // An object keeps its value if the snapshot has no better one.
      if !isTold(property), !state.isEmpty(at: property.index) { continue }
      if let slot = try slot(of: property) { try body(property, slot) }
    }
  }

  /// The slot of a value; nil if the snapshot does not have it.
  private func slot(of property: PropertyDescription) throws -> Slot? {
    switch values.contents[property.index] {
    case .absent:
      guard case .attribute(let codec) = property.kind, property.isEphemeral else { return nil }
      if let value = property.defaultValue { return .value(try codec.encode(value)) }
      return codec.isOptional ? .value(.null) : nil
    case .attribute(let stored):
      guard case .attribute(let codec) = property.kind else { return nil }
      return try .attribute(stored, codec: codec)
    case .toOne(nil): return .toOne(.none)
    case .toOne(let target?):
      return .toOne(isDangling(target) ? .none : .row(identities.row(for: target)))
    case .toMany(let targets):
      let many = values.description.makeToMany(property.index, isLoaded: false)
      many.storedIdentifiers = targets ?? []
      many.isNil = targets == nil && property.isOptional
      return .toMany(many)
    }
  }

  /// False if a snapshot leaves out the value, or has identities that the store does not know yet:
  /// a store that remaps nothing keeps temporary ones.
  private func isTold(_ property: PropertyDescription) -> Bool {
    switch values.contents[property.index] {
    case .absent: false
    case .toOne(let target?): !isDangling(target)
    case .toMany(let targets?): !targets.contains(where: isDangling)
    default: true
    }
  }

  /// Whether the identity is temporary and of an earlier run, kept by a store by mistake.
  private func isDangling(_ identifier: PersistentIdentifier) -> Bool {
    identifier.isTemporary && identities.knownRow(for: identifier) == nil
  }
}

extension _ModelState {
  fileprivate func isEmpty(at index: Int) -> Bool {
    if case .empty = slots[index] { true } else { false }
  }
}
