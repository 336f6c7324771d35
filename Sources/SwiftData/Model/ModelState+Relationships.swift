extension _ModelState {
  // MARK: To one object

  /// Sets a reference while the object is being made.
  public func initialize<T: PersistentModel>(_ place: _ModelDescription, _ own: Int, _ value: T?) {
    let index = place.offset &+ own
    slots[index] = .toOne(value.map { .object($0) } ?? .none)
    if value != nil { unlinked.insert(index) }
  }

  /// Reads a reference that is always there.
  public func get<T: PersistentModel>(_ place: _ModelDescription, _ own: Int) -> T {
    let index = place.offset &+ own
    if let model = toOne(index) as? T { return model }
    return absent(index)
  }

  /// Reads a reference.
  public func get<T: PersistentModel>(_ place: _ModelDescription, _ own: Int) -> T? {
    toOne(place.offset &+ own) as? T
  }

  /// Writes a reference.
  public func set<T: PersistentModel>(
    _ owner: some PersistentModel,
    _ place: _ModelDescription,
    _ own: Int,
    _ value: T?
  ) {
    setToOne(place.offset &+ own, to: value, owner: owner)
  }

  // MARK: To many objects

  /// Sets a collection while the object is being made.
  public func initialize<C: RelationshipCollection>(
    _ place: _ModelDescription,
    _ own: Int,
    _ value: C
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
  public func get<C: RelationshipCollection>(_ place: _ModelDescription, _ own: Int) -> C {
    let index = place.offset &+ own
    let many = toMany(index)
    guard let typed = many as? ToManyOf<C.PersistentElement>, !many.isNil || !keepsNil else {
      return C._make(from: nil)
    }
    let elements = typed.elements
    // Only an object without an inverse is not told that it is to leave.
    if many.remembersChanges, description.inverse(of: index) == nil,
      elements.contains(where: { isGone($0._$state, at: index) })
    {
      return C._make(from: elements.filter { !isGone($0._$state, at: index) })
    }
    return C._make(from: elements)
  }

  /// Lets go of the array that was just read, so that it can be changed without a copy.
  public func lend(_ place: _ModelDescription, _ own: Int) {
    if case .toMany(let many) = slots[place.offset &+ own] { many.lend() }
  }

  /// Writes a collection.
  public func set<C: RelationshipCollection>(
    _ owner: some PersistentModel,
    _ place: _ModelDescription,
    _ own: Int,
    _ value: C
  ) {
    let elements = value._elements
    setToMany(place.offset &+ own, isNil: elements == nil, owner: owner) { many in
      guard let many = many as? ToManyOf<C.PersistentElement> else { return ToMany.Difference() }
      return many.assign(elements: elements ?? [])
    }
  }

  /// Whether a collection can be nil: the rows of a store of ours can't tell nil from empty, so that
  /// every context reads an empty collection for both.
  private var keepsNil: Bool {
    guard phase != .detached, let entity, let registry else { return true }
    return registry.container.store(of: entity).keepsWholeObjects
  }
}

extension _ModelState {
  /// The object that a to-one relationship leads to, read from the store when it must be.
  func toOne(_ index: Int) -> (any PersistentModel)? {
    if case .empty = slots[index] {
      guard phase != .detached, row >= 0, let context else { return nil }
      // What can't be read now is not nothing: it stays to be read.
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

  /// True for an object that is deleted, or will be, where no inverse tells of it.
  ///
  /// The reference itself stays, as the deletion may be taken back. One that must lead somewhere
  /// does so until the save refuses the deletion.
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

  /// Refers to an object, and keeps it alive unless it keeps this one alive itself.
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

  /// The row that a to-one relationship leads to; nil for none.
  func toOneRow(_ index: Int) -> Int64? {
    guard case .toOne(let reference) = slots[index] else { return nil }
    switch reference {
    case .none: return nil
    case .row(let row): return row
    case .object(let model): return model._$state.row
    case .companion(let weak, let row): return weak.model?._$state.row ?? row
    }
  }

  /// The object that a to-one relationship leads to, if it is in memory.
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

  /// A to-many relationship, read from the store when it must be.
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

  /// A to-many relationship as far as it is in memory.
  func knownToMany(_ index: Int) -> ToMany {
    if case .toMany(let many) = slots[index] { return many }
    let many = description.makeToMany(index, isLoaded: row < 0)
    slots[index] = .toMany(many)
    return many
  }
}

extension _ModelDescription {
  /// An empty collection for a property.
  func makeToMany(_ index: Int, isLoaded: Bool) -> ToMany {
    let property = properties[index]
    guard let type = property.collection else {
      preconditionFailure("\(name).\(property.name) is not a relationship.")
    }
    return type.init(isLoaded: isLoaded, remembersChanges: remembersChanges(of: index))
  }

  /// True for relationships whose members have no column of their own that tells of them.
  func remembersChanges(of index: Int) -> Bool {
    guard let inverse = inverse(of: index) else { return true }
    return inverse.property.isToMany
  }
}
