extension _ModelState {
  /// Sets a reference during initialization.
  public func initialize<T: PersistentModel>(_ place: _ModelDescription, at own: Int, to value: T?)
  {
    let index = place.offset &+ own
    slots[index] = .toOne(value.map { .object($0) } ?? .none)
    if value != nil { unlinked.insert(index) }
  }

  /// Reads a reference that is never nil.
  public func get<T: PersistentModel>(_ place: _ModelDescription, at own: Int) -> T {
    let index = place.offset &+ own
    if let model = toOne(index) as? T { return model }
    return absent(index)
  }

  /// Reads a reference.
  public func get<T: PersistentModel>(_ place: _ModelDescription, at own: Int) -> T? {
    toOne(place.offset &+ own) as? T
  }

  /// Writes a reference.
  public func set<T: PersistentModel>(
    _ owner: some PersistentModel,
    in place: _ModelDescription,
    at own: Int,
    to value: T?
  ) {
    setToOne(place.offset &+ own, to: value, owner: owner)
  }

  /// Sets a collection during initialization.
  public func initialize<C: RelationshipCollection>(
    _ place: _ModelDescription,
    at own: Int,
    to value: C
  ) {
    let index = place.offset &+ own
    let many = description.makeToMany(index, isLoaded: true)
    slots[index] = .toMany(many)
    guard let elements = value._elements else {
      many.isNil = true
      return
    }
    guard elements.count > 0 else { return }  // Most are, and `isEmpty` looks for its witness.
    _ = many.assign(elements)
    unlinked.insert(index)
  }

  /// Reads a collection.
  public func get<C: RelationshipCollection>(_ place: _ModelDescription, at own: Int) -> C {
    let index = place.offset &+ own
    let many = toMany(index)
    guard let typed = many as? ToManyOf<C.PersistentElement>, !many.isNil || !keepsNil else {
      return C._make(from: nil)
    }
    let elements = typed.elements
    // An object without an inverse is not removed from the collection when it is deleted.
    if many.remembersChanges, description.inverse(of: index) == nil,
      elements.contains(where: { isGone($0._$state, at: index) })
    {
      return C._make(from: elements.filter { !isGone($0._$state, at: index) })
    }
    return C._make(from: elements)
  }

  /// Releases the array that was just read, so that it can be changed without a copy.
  public func lend(_ place: _ModelDescription, at own: Int) {
    if case .toMany(let many) = slots[place.offset &+ own] { many.lend() }
  }

  /// Writes a collection.
  public func set<C: RelationshipCollection>(
    _ owner: some PersistentModel,
    in place: _ModelDescription,
    at own: Int,
    to value: C
  ) {
    let elements = value._elements
    setToMany(place.offset &+ own, isNil: elements == nil, owner: owner) { many in
      guard let many = many as? ToManyOf<C.PersistentElement> else { return ToMany.Difference() }
      return many.assign(elements: elements ?? [])
    }
  }

  /// Whether a collection can be nil: in native stores, nil and empty are the same, so contexts
  /// read an empty collection.
  private var keepsNil: Bool {
    guard phase != .detached, let entity, let registry else { return true }
    return registry.container.store(of: entity).keepsWholeObjects
  }
}

extension _ModelState {
  /// The destination of a to-one relationship, read from the store if necessary.
  func toOne(_ index: Int) -> (any PersistentModel)? {
    if case .empty = slots[index] {
      guard phase != .detached, row >= 0, let context else { return nil }
      // A failed read is not nil: the next use reads again.
      guard let read = context.readToOne(self, at: index) else { return nil }
      slots[index] = .toOne(read)
    }
    guard case .toOne(let reference) = slots[index] else { return nil }
    switch reference {
    case .none: return nil
    case .object(let model): return isGone(model._$state, at: index) ? nil : model
    case .companion(let weak, let row):
      if let model = weak.model { return model }
      return resolve(index, row: row)
    case .row(let row): return resolve(index, row: row)
    }
  }

  /// Whether a referenced object is deleted, or will be, and has no inverse that says so.
  ///
  /// The reference stays, because the deletion may be cancelled. One that may not be nil keeps its
  /// destination until the save rejects the deletion.
  private func isGone(_ other: _ModelState, at index: Int) -> Bool {
    guard other.phase != .stored, other.phase != .inserting,
      phase == .stored || phase == .inserting
    else { return false }
    return (description.properties[index].isOptional || description.properties[index].isToMany)
      && description.inverse(of: index) == nil
  }

  private func resolve(_ index: Int, row: Int64) -> (any PersistentModel)? {
    guard let model = context?.relatedModel(of: self, at: index, row: row) else { return nil }
    keep(model, at: index)
    return model
  }

  /// Refers to an object, and keeps it alive unless it already keeps this one alive.
  func keep(_ model: any PersistentModel, at index: Int) {
    let other = model._$state
    var isHeldByOther = false
    if let inverse = description.inverse(of: index), let own = self.model {
      switch other.slots[inverse.property.index] {
      case .toMany(let many): isHeldByOther = many.isLoaded
      case .toOne(.object(let back)): isHeldByOther = back === own
      default: break
      }
    }
    slots[index] = .toOne(
      isHeldByOther ? .companion(other.companion(of: model), row: other.row) : .object(model)
    )
  }

  /// The row that a to-one relationship refers to; nil for none.
  func toOneRow(_ index: Int) -> Int64? {
    guard case .toOne(let reference) = slots[index] else { return nil }
    switch reference {
    case .none: return nil
    case .row(let row): return row
    case .object(let model): return model._$state.row
    case .companion(let weak, let row): return weak.model?._$state.row ?? row
    }
  }

  /// The destination of a to-one relationship if it is in memory.
  func knownToOne(_ index: Int) -> (any PersistentModel)? {
    guard case .toOne(let reference) = slots[index] else { return nil }
    switch reference {
    case .none: return nil
    case .object(let model): return model
    case .companion(let weak, let row):
      return weak.model ?? context?.registeredRelative(of: self, at: index, row: row)
    case .row(let row): return context?.registeredRelative(of: self, at: index, row: row)
    }
  }

  /// A to-many relationship, read from the store if necessary.
  func toMany(_ index: Int) -> ToMany {
    let many = knownToMany(index)
    if !many.isLoaded {
      if let context, phase != .detached {
        context.load(many, of: self, at: index)
      } else {
        many.load([])
      }
    }
    return many
  }

  func knownToMany(_ index: Int) -> ToMany {
    if case .toMany(let many) = slots[index] { return many }
    let many = description.makeToMany(index, isLoaded: row < 0)
    slots[index] = .toMany(many)
    return many
  }
}

extension _ModelDescription {
  func makeToMany(_ index: Int, isLoaded: Bool) -> ToMany {
    let property = properties[index]
    guard let type = property.collection else {
      preconditionFailure("\(name).\(property.name) is not a relationship.")
    }
    return type.init(isLoaded: isLoaded, remembersChanges: remembersChanges(of: index))
  }

  /// Whether no column of a relationship's members records it, so that changes must be remembered.
  func remembersChanges(of index: Int) -> Bool {
    guard let inverse = inverse(of: index) else { return true }
    return inverse.property.isToMany
  }
}
