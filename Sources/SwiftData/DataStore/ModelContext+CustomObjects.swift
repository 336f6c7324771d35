import Changes
import Store

// Objects of custom stores: made of snapshots, brought up to date by them, and read one by one
// when something leads to them.

extension ModelContext {
  /// What is known of the objects of stores that are not ours.
  var custom: CustomObjects { registry.custom }

  /// The object of an identity that a custom store gave, if it is in memory.
  func customModel(for id: PersistentIdentifier) -> (any PersistentModel)? {
    guard let entity = container.map[id.entityName], let row = custom.knownRow(for: id) else {
      return nil
    }
    return registry[entity, row]
  }

  /// The object of a snapshot: the one in memory, or a new one; nil if it is of an entity that the
  /// store is not asked for.
  func materialize(
    _ snapshot: any DataStoreSnapshot,
    storeIndex: Int
  ) throws -> (any PersistentModel)? {
    let identifier = snapshot.persistentIdentifier
    guard let entity = container.map[identifier.entityName], entity.storeIndex == storeIndex else {
      return nil
    }
    let row = custom.row(for: identifier)
    if let model = registry[entity, row] {
      let state = model._$state
      if state.phase == .stored, state.context === self {
        try refresh(state, of: model, try SnapshotValues.of(snapshot, as: state.description))
      }
      return model
    }
    let values = try SnapshotValues.of(snapshot, as: entity.model)
    let state = _ModelState(entity, row: row, customKey: identifier)
    state.registry = registry
    for property in entity.model.properties {
      state.slots[property.index] = try slot(of: property, values)
    }
    let model = entity.model.make(state)
    register(model, state, entity)
    return model
  }

  /// What a state holds of a value.
  func slot(of property: PropertyDescription, _ values: SnapshotValues) throws -> Slot {
    switch values.contents[property.index] {
    case .absent:
      guard case .attribute(let codec) = property.kind, property.isEphemeral else { return .empty }
      if let value = property.defaultValue { return .value(try codec.encode(value)) }
      return codec.isOptional ? .value(.null) : .empty
    case .attribute(let stored):
      guard case .attribute(let codec) = property.kind else { return .empty }
      return try .attribute(stored, codec)
    case .toOne(nil): return .toOne(.none)
    case .toOne(let target?):
      return .toOne(isDangling(target) ? .none : .row(custom.row(for: target)))
    case .toMany(let targets):
      let many = values.description.makeToMany(property.index, isLoaded: false)
      many.storedIdentifiers = targets ?? []
      many.isNil = targets == nil && property.isOptional
      return .toMany(many)
    }
  }

  /// True for the temporary identity of an object of another time, which a store kept by mistake.
  private func isDangling(_ identifier: PersistentIdentifier) -> Bool {
    identifier.isTemporary && custom.knownRow(for: identifier) == nil
  }

  /// Brings an object up to what the store has, as far as it was not changed here.
  func refresh(
    _ state: _ModelState,
    of model: any PersistentModel,
    _ values: SnapshotValues
  ) throws {
    for property in state.description.properties where !state.changed.contains(property.index) {
      let index = property.index
      switch (state.slots[index], values.contents[index]) {
      case (_, .absent): continue
      case (.value(let old), .attribute(let new)) where old == new: continue
      case (.decoded(let old), .attribute(let new)) where old.stored == new: continue
      // A store that remaps nothing knows the objects of this context by their first identities.
      case (.toOne, .toOne(let target?)) where isDangling(target): continue
      case (.toOne, .toOne(let target)) where state.toOneIdentifier(index) == target: continue
      case (.toMany(let old), .toMany(let targets?)):
        if targets.contains(where: isDangling) { continue }
        if old.knownIdentifiers == targets, !old.isNil { continue }
        let new = try slot(of: property, values)
        state.notify(model, property) { state.slots[index] = new }
      case (.empty, _): state.slots[index] = try slot(of: property, values)
      default:
        let new = try slot(of: property, values)
        state.notify(model, property) { state.slots[index] = new }
      }
    }
  }

  // MARK: Reading by identity

  /// The snapshots of identities: those at hand, those that the store has at hand, and the rest by
  /// a fetch for each entity.
  func snapshots(
    for identifiers: [PersistentIdentifier],
    in store: CustomStore
  ) throws -> [PersistentIdentifier: any DataStoreSnapshot] {
    var found: [PersistentIdentifier: any DataStoreSnapshot] = [:]
    var missing: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let snapshot = custom.atHand[identifier] {
        found[identifier] = snapshot
      } else if !identifier.isTemporary || custom.knownRow(for: identifier) != nil {
        missing.append(identifier)
      }
    }
    guard !missing.isEmpty else { return found }
    let cached = try store.cachedSnapshots(missing, editingState)
    found.merge(cached) { first, _ in first }
    let rest = Dictionary(grouping: missing.filter { found[$0] == nil }, by: \.entityName)
    for (name, identifiers) in rest {
      guard let entity = container.map[name] else { continue }
      let fetched = try fetchSnapshots(Set(identifiers), entity.model.type, store)
      found.merge(fetched) { first, _ in first }
    }
    return found
  }

  private func fetchSnapshots<T: PersistentModel>(
    _ wanted: Set<PersistentIdentifier>,
    _ type: T.Type,
    _ store: CustomStore
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
    do { result = try store.fetch(descriptor, editingState) } catch is DataStoreError {
      // The predicate is ours and not the program's: a store need not understand it.
      descriptor.predicate = nil
      result = try store.fetch(descriptor, editingState)
    }
    var found: [PersistentIdentifier: any DataStoreSnapshot] = [:]
    for snapshot in result.fetched {
      if wanted.contains(snapshot.persistentIdentifier) {
        found[snapshot.persistentIdentifier] = snapshot
      } else {
        // It gives more than was asked for, so it would do so again for the next object.
        custom.atHand[snapshot.persistentIdentifier] = snapshot
      }
    }
    custom.atHand.merge(result.related) { first, _ in first }
    return found
  }

  // MARK: Properties that are read when they are touched

  /// The values that a store has of an object now; nil if it has the object no more.
  func customValues(
    of state: _ModelState,
    in store: CustomStore
  ) throws -> SnapshotValues? {
    guard let identifier = state.customKey else { return nil }
    guard let snapshot = try snapshots(for: [identifier], in: store)[identifier] else { return nil }
    return try SnapshotValues.of(snapshot, as: state.description)
  }
}
