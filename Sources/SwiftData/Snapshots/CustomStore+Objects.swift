import Changes

// Objects of custom stores: made of snapshots, brought up to date by them, and read one by one
// when something leads to them.

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
  /// The object of a snapshot: the one in memory, or a new one; nil if it is of an entity that the
  /// store is not asked for.
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

  // MARK: Reading by identity

  /// The snapshots of identities: those at hand, those that the store has at hand, and the rest by
  /// a fetch for each entity.
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
      // The predicate is ours and not the program's: a store need not understand it.
      descriptor.predicate = nil
      result = try fetch(context.storeRequest(descriptor))
    }
    var found: [PersistentIdentifier: any DataStoreSnapshot] = [:]
    for snapshot in result.fetched {
      if wanted.contains(snapshot.persistentIdentifier) {
        found[snapshot.persistentIdentifier] = snapshot
      } else {
        // It gives more than was asked for, so it would do so again for the next object.
        context.identities.atHand[snapshot.persistentIdentifier] = snapshot
      }
    }
    context.identities.atHand.merge(result.related) { first, _ in first }
    return found
  }

  // MARK: Properties that are read when they are touched

  /// The values that a store has of an object now; nil if it has the object no more.
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

/// The values of a snapshot, as the objects of a context take them.
struct StoredSnapshot: StoredValues {
  let values: SnapshotValues
  let identities: StoreIdentities

  func forEach(
    of state: _ModelState,
    _ body: (PropertyDescription, Slot) throws -> Void
  ) throws {
    for property in values.description.properties where !state.changed.contains(property.index) {
      // An object keeps what it has where the snapshot can't say better.
      if !isTold(property), !state.isEmpty(at: property.index) { continue }
      if let slot = try slot(of: property) { try body(property, slot) }
    }
  }

  /// What a state holds of a value; nil if the snapshot does not have it.
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

  /// False for what a snapshot leaves out, and for identities that the store does not know by now:
  /// a store that remaps nothing knows the objects of this context by their first ones.
  private func isTold(_ property: PropertyDescription) -> Bool {
    switch values.contents[property.index] {
    case .absent: false
    case .toOne(let target?): !isDangling(target)
    case .toMany(let targets?): !targets.contains(where: isDangling)
    default: true
    }
  }

  /// True for the temporary identity of an object of another time, which a store kept by mistake.
  private func isDangling(_ identifier: PersistentIdentifier) -> Bool {
    identifier.isTemporary && identities.knownRow(for: identifier) == nil
  }
}

extension _ModelState {
  fileprivate func isEmpty(at index: Int) -> Bool {
    if case .empty = slots[index] { true } else { false }
  }
}
