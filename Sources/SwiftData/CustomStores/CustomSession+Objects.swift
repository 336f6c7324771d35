import Format

// The objects of custom stores; snapshots create and update them.

extension CustomSession {
  /// The object with an identity that the store assigned; nil if the object is not in memory.
  func model(for id: PersistentIdentifier) -> (any PersistentModel)? {
    map[id.entityName].flatMap { registered(id, entity: $0) }
  }

  /// The object of a snapshot, from memory or new; nil if the entity belongs to another store.
  func materialize(_ snapshot: any DataStoreSnapshot) throws -> (any PersistentModel)? {
    let identifier = snapshot.persistentIdentifier
    guard let entity = map[identifier.entityName],
      entity.storeIndex == storeIndex
    else { return nil }
    return try context.materialize(
      entity,
      row: identities.row(for: identifier),
      storeKey: identifier,
      values: StoredSnapshot(
        values: try SnapshotValues.of(snapshot, as: entity.model),
        identities: identities
      )
    )
  }

  /// The snapshots of objects with given identities: first those that this context has already
  /// received, then those that the store has cached.
  ///
  /// All other snapshots are fetched, with one request for each entity.
  func snapshots(
    for identifiers: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: any DataStoreSnapshot] {
    var found: [PersistentIdentifier: any DataStoreSnapshot] = [:]
    var missing: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let snapshot = identities.atHand[identifier] {
        found[identifier] = snapshot
      } else if !identifier.isTemporary || identities.knownRow(for: identifier) != nil {
        missing.append(identifier)
      }
    }
    guard !missing.isEmpty else { return found }
    let cached = try store.cachedSnapshots(missing, editingState: context.editingState)
    found.merge(cached) { first, _ in first }
    let rest = Dictionary(grouping: missing.filter { found[$0] == nil }, by: \.entityName)
    for (name, identifiers) in rest {
      guard let entity = map[name] else { continue }
      let fetched = try fetchSnapshots(Set(identifiers), type: entity.model.type)
      found.merge(fetched) { first, _ in first }
    }
    return found
  }

  private func fetchSnapshots<T: PersistentModel>(
    _ wanted: Set<PersistentIdentifier>,
    type: T.Type
  ) throws -> [PersistentIdentifier: any DataStoreSnapshot] {
    var descriptor = FetchDescriptor<T>()
    descriptor.includePendingChanges = false
    if wanted.count == 1, let identifier = wanted.first {
      descriptor.predicate = #Predicate { $0.persistentModelID == identifier }
    } else {
      let identifiers = Array(wanted)
      descriptor.predicate = #Predicate { identifiers.contains($0.persistentModelID) }
    }
    let result: CustomStore.Found
    do { result = try store.fetch(context.storeRequest(descriptor)) } catch is DataStoreError {
      // The context made this predicate, not the application, so a store need not support it.
      descriptor.predicate = nil
      result = try store.fetch(context.storeRequest(descriptor))
    }
    var found: [PersistentIdentifier: any DataStoreSnapshot] = [:]
    for snapshot in result.fetched {
      if wanted.contains(snapshot.persistentIdentifier) {
        found[snapshot.persistentIdentifier] = snapshot
      } else {
        // The store returned more snapshots than requested. The surplus snapshots are kept, so that
        // they need not be requested again.
        identities.atHand[snapshot.persistentIdentifier] = snapshot
      }
    }
    identities.atHand.merge(result.related) { first, _ in first }
    return found
  }

  func values(of state: _ModelState) throws -> SnapshotValues? {
    guard let identifier = state.storeKey else { return nil }
    guard let snapshot = try snapshots(for: [identifier])[identifier] else {
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
      // If the snapshot has no valid value, an object in memory keeps its own value.
      if !isTold(property), !state.isEmpty(at: property.index) { continue }
      if let slot = try slot(of: property) { try body(property, slot) }
    }
  }

  /// The slot of a value; nil if the snapshot does not contain the value.
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

  /// Whether the snapshot has a valid value for a property.
  ///
  /// A snapshot has no usable value if the value is missing, or if it contains temporary
  /// identities, which a store may return without replacing them.
  private func isTold(_ property: PropertyDescription) -> Bool {
    switch values.contents[property.index] {
    case .absent: false
    case .toOne(let target?): !isDangling(target)
    case .toMany(let targets?): !targets.contains(where: isDangling)
    default: true
    }
  }

  /// Whether the identity is a temporary one from an earlier run; the store should not have kept
  /// it.
  private func isDangling(_ identifier: PersistentIdentifier) -> Bool {
    identifier.isTemporary && identities.knownRow(for: identifier) == nil
  }
}

extension _ModelState {
  fileprivate func isEmpty(at index: Int) -> Bool {
    if case .empty = slots[index] { true } else { false }
  }
}
