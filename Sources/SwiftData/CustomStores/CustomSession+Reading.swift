import Format
import Store

extension CustomSession {
  func registered(_ id: PersistentIdentifier, entity: EntityDescription) -> (any PersistentModel)? {
    identities.knownRow(for: id).flatMap { registry[entity, $0] }
  }

  func read(
    _ identifiers: [PersistentIdentifier],
    into found: inout [PersistentIdentifier: any PersistentModel]
  ) throws {
    for (identifier, snapshot) in try snapshots(for: identifiers) {
      found[identifier] = try materialize(snapshot)
    }
  }

  func model(of entity: EntityDescription, row: Int64) throws -> (any PersistentModel)? {
    guard let identifier = identifier(of: row) else { return nil }
    return try models(for: [identifier])[identifier]
  }

  func fill(_ state: _ModelState) throws -> Bool {
    guard let values = try values(of: state) else { return false }
    try StoredSnapshot(values: values, identities: identities).fillEmpty(state)
    return true
  }

  func toOne(of state: _ModelState, at index: Int) throws -> ToOne? {
    _ = try fill(state)
    if case .toOne(let reference) = state.slots[index] { return reference }
    return nil
  }

  func identifier(of row: Int64) -> PersistentIdentifier? {
    identities.identifier(of: row)
  }

  func load(
    _ many: ToMany,
    of state: _ModelState,
    property: PropertyDescription,
    destination: EntityDescription
  ) throws {
    if many.storedIdentifiers == nil, let values = try values(of: state),
      case .toMany(let targets) = values.contents[property.index]
    {
      many.storedIdentifiers = targets ?? []
      many.isNil = targets == nil && property.isOptional && many.added.isEmpty
    }
    var members: [any PersistentModel]
    if let identifiers = many.storedIdentifiers {
      let found = try models(for: identifiers)
      members = identifiers.compactMap { found[$0] }
    } else {
      members = try membersByInverse(of: state, property: property)
    }
    members.removeAll { $0._$state.livingIdentifier == nil }
    many.load(members)
  }

  /// The members of a relationship that the store records only on the members' side.
  private func membersByInverse(
    of state: _ModelState,
    property: PropertyDescription
  ) throws -> [any PersistentModel] {
    guard let inverse = state.description.inverse(of: property.index), !inverse.property.isToMany,
      let identifier = state.storeKey
    else { return [] }
    func fetchAll<T: PersistentModel>(_: T.Type) throws -> [any DataStoreSnapshot] {
      try store.fetch(context.storeRequest(FetchDescriptor<T>())).fetched
    }
    let index = inverse.property.index
    return try fetchAll(inverse.owner.type).compactMap { snapshot in
      guard let model = try materialize(snapshot),
        model._$state.description.isKind(of: inverse.owner),
        model._$state.toOneIdentifier(index) == identifier
      else { return nil }
      return model
    }
  }

  func prefetch(_ property: PropertyDescription, of states: [_ModelState]) throws {
    let index = property.index
    var wanted: [PersistentIdentifier] = []
    for state in states {
      if property.isToMany {
        wanted += state.knownToMany(index).knownIdentifiers ?? []
      } else if let target = state.toOneIdentifier(index) {
        wanted.append(target)
      }
    }
    let held = try models(for: wanted)
    defer { withExtendedLifetime(held) {} }
    for state in states {
      if property.isToMany { _ = state.toMany(index) } else { _ = state.toOne(index) }
    }
  }
}
