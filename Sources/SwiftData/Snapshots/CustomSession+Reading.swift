import Changes
import Store

extension CustomStore: Backend {
  var file: Store? { nil }
  var keepsWholeObjects: Bool { true }
  var isWrittenLast: Bool { true }

  func registered(
    _ id: PersistentIdentifier,
    entity: EntityDescription,
    in context: ModelContext
  ) -> (any PersistentModel)? {
    context.identities.knownRow(for: id).flatMap { context.registry[entity, $0] }
  }

  func read(
    _ identifiers: [PersistentIdentifier],
    into found: inout [PersistentIdentifier: any PersistentModel],
    storeIndex: Int,
    in context: ModelContext
  ) throws {
    for (identifier, snapshot) in try snapshots(for: identifiers, in: context) {
      found[identifier] = try materialize(snapshot, storeIndex: storeIndex, in: context)
    }
  }

  func model(
    of entity: EntityDescription,
    row: Int64,
    in context: ModelContext
  ) throws -> (any PersistentModel)? {
    guard let identifier = identifier(of: row, in: context) else { return nil }
    return try models(for: [identifier], storeIndex: entity.storeIndex, in: context)[identifier]
  }

  func fill(_ state: _ModelState, in context: ModelContext) throws -> Bool {
    guard let values = try values(of: state, in: context) else { return false }
    try StoredSnapshot(values: values, identities: context.identities).fillEmpty(state)
    return true
  }

  func toOne(of state: _ModelState, at index: Int, in context: ModelContext) throws -> ToOne? {
    _ = try fill(state, in: context)
    if case .toOne(let reference) = state.slots[index] { return reference }
    return nil
  }

  func identifier(of row: Int64, in context: ModelContext) -> PersistentIdentifier? {
    context.identities.identifier(of: row)
  }

  func externalData(_ digest: String) -> Data? { nil }

  func load(
    _ many: ToMany,
    of state: _ModelState,
    property: PropertyDescription,
    destination: EntityDescription,
    in context: ModelContext
  ) throws {
    if many.storedIdentifiers == nil, let values = try values(of: state, in: context),
      case .toMany(let targets) = values.contents[property.index]
    {
      many.storedIdentifiers = targets ?? []
      many.isNil = targets == nil && property.isOptional && many.added.isEmpty
    }
    var members: [any PersistentModel]
    if let identifiers = many.storedIdentifiers {
      let found = try models(for: identifiers, storeIndex: destination.storeIndex, in: context)
      members = identifiers.compactMap { found[$0] }
    } else {
      members = try membersByInverse(
        of: state,
        property: property,
        storeIndex: destination.storeIndex,
        in: context
      )
    }
    members.removeAll { $0._$state.livingIdentifier == nil }
    many.load(members)
  }

  /// The members of a relationship that the store records only on the members' side.
  private func membersByInverse(
    of state: _ModelState,
    property: PropertyDescription,
    storeIndex: Int,
    in context: ModelContext
  ) throws -> [any PersistentModel] {
    guard let inverse = state.description.inverse(of: property.index), !inverse.property.isToMany,
      let identifier = state.storeKey
    else { return [] }
    func fetchAll<T: PersistentModel>(_: T.Type) throws -> [any DataStoreSnapshot] {
      try fetch(context.storeRequest(FetchDescriptor<T>())).fetched
    }
    let index = inverse.property.index
    return try fetchAll(inverse.owner.type).compactMap { snapshot in
      guard let model = try materialize(snapshot, storeIndex: storeIndex, in: context),
        model._$state.description.isKind(of: inverse.owner),
        model._$state.toOneIdentifier(index) == identifier
      else { return nil }
      return model
    }
  }

  func prefetch(
    _ property: PropertyDescription,
    of states: [_ModelState],
    in context: ModelContext
  ) throws {
    guard let storeIndex = states.first?.entity?.storeIndex else { return }
    let index = property.index
    var wanted: [PersistentIdentifier] = []
    for state in states {
      if property.isToMany {
        wanted += state.knownToMany(index).knownIdentifiers ?? []
      } else if let target = state.toOneIdentifier(index) {
        wanted.append(target)
      }
    }
    let held = try models(for: wanted, storeIndex: storeIndex, in: context)
    defer { withExtendedLifetime(held) {} }
    for state in states {
      if property.isToMany { _ = state.toMany(index) } else { _ = state.toOne(index) }
    }
  }
}
