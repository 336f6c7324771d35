extension _ModelState {
  /// Sets the initial value of a to-one relationship.
  public func initialize<T: PersistentModel>(_ place: _ModelDescription, at own: Int, to value: T?)
  {
    let index = place.offset &+ own
    guard let value else { return slots[index] = .toOne(.none) }
    slots[index] = .toOne(.object(value))
    unlinked.insert(index)
  }

  /// Reads a to-one relationship that is not optional.
  public func get<T: PersistentModel>(_ place: _ModelDescription, at own: Int) -> T {
    let index = place.offset &+ own
    if let model = toOne(index) as? T { return model }
    return absent(index)
  }

  /// Reads an optional to-one relationship.
  public func get<T: PersistentModel>(_ place: _ModelDescription, at own: Int) -> T? {
    toOne(place.offset &+ own) as? T
  }

  /// Writes a to-one relationship.
  public func set<T: PersistentModel>(
    _ owner: some PersistentModel,
    in place: _ModelDescription,
    at own: Int,
    to value: T?
  ) {
    setToOne(place.offset &+ own, to: value, owner: owner)
  }

  /// Sets the initial members of a to-many relationship.
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
    guard elements.count > 0 else { return }  // Most are empty; `count` is faster than `isEmpty`.
    _ = many.assign(elements)
    unlinked.insert(index)
  }

  /// Reads the members of a to-many relationship.
  public func get<C: RelationshipCollection>(_ place: _ModelDescription, at own: Int) -> C {
    let index = place.offset &+ own
    let many = toMany(index)
    guard let typed = many as? ToManyOf<C.PersistentElement>, !many.isNil || !keepsNil else {
      return C._make(from: nil)
    }
    let elements = typed.elements
    // If a relationship has no inverse, a deleted object is not removed from the collection. So it
    // is left out here.
    if many.remembersChanges, description.inverse(of: index) == nil,
      elements.contains(where: { isGone($0._$state, at: index) })
    {
      return C._make(from: elements.filter { !isGone($0._$state, at: index) })
    }
    return C._make(from: elements)
  }

  /// Releases the array that was just read, so that the caller can change it without a copy.
  public func lend(_ place: _ModelDescription, at own: Int) {
    if case .toMany(let many) = slots[place.offset &+ own] { many.lend() }
  }

  /// Writes the members of a to-many relationship.
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

  private var keepsNil: Bool {
    guard phase != .detached, let entity, let registry else { return true }
    return registry.keepsNilCollections(of: entity)
  }
}

extension _ModelState {
  /// The destination of a to-one relationship, read from the store if necessary.
  func toOne(_ index: Int) -> (any PersistentModel)? {
    if case .empty = slots[index] {
      guard phase != .detached, row >= 0, let registry else { return nil }
      // A failed read does not mean nil: the next use of the property reads it again.
      guard let read = registry.readToOne(self, at: index) else { return nil }
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

  /// Whether the referenced object is deleted or marked for deletion, and the relationship has no
  /// inverse that would have removed the reference.
  ///
  /// The stored reference remains, because the deletion may be cancelled. A reference that must not
  /// be nil still returns its destination; the save then rejects the deletion.
  private func isGone(_ other: _ModelState, at index: Int) -> Bool {
    guard other.phase != .stored, other.phase != .inserting,
      phase == .stored || phase == .inserting
    else { return false }
    return (description.properties[index].isOptional || description.properties[index].isToMany)
      && description.inverse(of: index) == nil
  }

  private func resolve(_ index: Int, row: Int64) -> (any PersistentModel)? {
    guard let model = registry?.relatedModel(of: self, at: index, row: row) else { return nil }
    keep(model, at: index)
    return model
  }

  /// Sets a reference to an object.
  ///
  /// The reference is strong, except if the other object already has a strong reference to this
  /// object; then it is weak.
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

  /// The row that a to-one relationship refers to; nil if the relationship is nil.
  func toOneRow(_ index: Int) -> Int64? {
    guard case .toOne(let reference) = slots[index] else { return nil }
    switch reference {
    case .none: return nil
    case .row(let row): return row
    case .object(let model): return model._$state.row
    case .companion(let weak, let row): return weak.model?._$state.row ?? row
    }
  }

  /// The destination of a to-one relationship; nil if it is not in memory.
  func knownToOne(_ index: Int) -> (any PersistentModel)? {
    guard case .toOne(let reference) = slots[index] else { return nil }
    switch reference {
    case .none: return nil
    case .object(let model): return model
    case .companion(let weak, let row):
      return weak.model ?? registry?.registeredRelative(of: self, at: index, row: row)
    case .row(let row): return registry?.registeredRelative(of: self, at: index, row: row)
    }
  }

  /// A to-many relationship, read from the store if necessary.
  func toMany(_ index: Int) -> ToMany {
    let many = knownToMany(index)
    if !many.isLoaded {
      if let registry, phase != .detached {
        registry.load(many, of: self, at: index)
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

  /// The objects that a relationship refers to; reads them from the store if necessary.
  func related(at index: Int) -> [any PersistentModel] {
    if description.properties[index].isToMany { return toMany(index).models }
    return toOne(index).map { [$0] } ?? []
  }

  /// The objects that a relationship refers to and that are already in memory.
  func knownRelated(at index: Int) -> [any PersistentModel] {
    if description.properties[index].isToMany {
      guard case .toMany(let many) = slots[index] else { return [] }
      return many.models
    }
    return knownToOne(index).map { [$0] } ?? []
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

  /// Whether the list must record changes until the save, because no column of the members records
  /// the relationship.
  func remembersChanges(of index: Int) -> Bool {
    guard let inverse = inverse(of: index) else { return true }
    return inverse.property.isToMany
  }
}
