// Both sides of a relationship remain consistent in memory. A change on one side updates the other
// side immediately, or as soon as the other side is loaded.

extension _ModelState {
  func setToOne(_ index: Int, to new: (any PersistentModel)?, owner: (any PersistentModel)?) {
    let old = previous(index)
    willChange(index)
    if let owner, phase != .detached { _ = reference(to: owner) }
    if let new { slots[index] = .toOne(.object(new)) } else { slots[index] = .toOne(.none) }
    let wasUnlinked = unlinked.contains(index)
    unlinked.remove(index)
    guard let owner, old !== new || wasUnlinked else { return }
    if !wasUnlinked, let old {
      old._$state.forget(owner, of: old, through: description.inverse(of: index))
    }
    if let new { join(owner, with: new, at: index) }
  }

  /// Whether the store records a relationship in the rows of the destination; to change such a
  /// relationship, the destination must be in memory.
  func isKeptByOther(_ index: Int) -> Bool {
    if case .inverseColumn = entity?.relationships[index]?.storage { true } else { false }
  }

  /// The object that a to-one relationship referred to before a change.
  private func previous(_ index: Int) -> (any PersistentModel)? {
    if phase == .stored, case .empty = slots[index] {
      if isKeptByOther(index) { return toOne(index) }
      registry?.fill(self)
    }
    return isKeptByOther(index) ? toOne(index) : knownToOne(index)
  }

  func setToMany(_ index: Int, to new: [any PersistentModel]?, owner: (any PersistentModel)?) {
    setToMany(index, isNil: new == nil, owner: owner) { $0.assign(new ?? []) }
  }

  /// Assigns objects to a collection, and updates the other sides of removed and added objects.
  func setToMany(
    _ index: Int,
    isNil: Bool,
    owner: (any PersistentModel)?,
    _ assign: (ToMany) -> ToMany.Difference
  ) {
    let many = toMany(index)
    willChange(index)
    unlinked.remove(index)
    let difference = assign(many)
    many.isNil = isNil && many.count == 0
    guard let owner else { return }
    for model in difference.gone {
      model._$state.forget(owner, of: model, through: description.inverse(of: index))
    }
    for model in difference.came { join(owner, with: model, at: index) }
  }

  /// Updates the other sides of the relationships that were set during initialization.
  ///
  /// If the object belonged to a context before, some of its links may still exist.
  func linkInitialValues(of owner: any PersistentModel, again: Bool) {
    guard !unlinked.isEmpty else { return }
    for index in slots.indices where unlinked.contains(index) {
      unlinked.remove(index)
      switch slots[index] {
      case .toOne(.object(let model)): join(owner, with: model, at: index, again: again)
      case .toOne(.companion(let weak, _)):
        if let model = weak.model { join(owner, with: model, at: index, again: again) }
      case .toMany(let many):
        for model in many.models { join(owner, with: model, at: index, again: again) }
      default: break
      }
    }
  }

  /// Updates the other side of a new link.
  ///
  /// If one of the two objects has no context, it is inserted into the context of the other object.
  private func join(
    _ owner: any PersistentModel,
    with other: any PersistentModel,
    at index: Int,
    again: Bool = false
  ) {
    let state = other._$state
    if isForeign(state) {
      registry?.noteForeignLink(of: owner, at: index, to: other)
      return
    }
    // While this object was deleted, the other object may have been deleted too. Then the link is
    // removed.
    if again, state.phase == .deleted || state.phase == .deleting {
      return part(owner, from: other, at: index)
    }
    if let inverse = description.inverse(of: index) {
      state.meet(owner, own: other, at: inverse.property, from: index, again: again)
    }
    if let registry, phase != .detached, state.phase == .detached {
      registry.insertAny(other)
    } else if phase == .detached, let registry = state.registry, state.phase != .detached {
      registry.insertAny(owner)
    }
  }

  /// Whether the other object belongs to another context.
  func isForeign(_ other: _ModelState) -> Bool {
    guard let registry, let others = other.registry else { return false }
    return registry !== others
  }

  /// Removes a link to an object that was deleted while this object was deleted too.
  ///
  /// If the deleted object is restored, the link is restored too.
  private func part(
    _ owner: any PersistentModel,
    from gone: any PersistentModel,
    at index: Int
  ) {
    guard let inverse = description.inverse(of: index) else { return }
    forget(
      gone,
      of: owner,
      through: PropertyReference(description, property: description.properties[index])
    )
    let state = gone._$state
    guard state.phase == .deleting,
      inverse.property.isToMany || state.knownToOne(inverse.property.index) == nil
    else { return }
    state.meet(owner, own: gone, at: inverse.property, from: index, again: true)
  }

  /// Adds `other` to a relationship of this object; `from` is the index of the property of `other`
  /// that refers to this object.
  private func meet(
    _ other: any PersistentModel,
    own: any PersistentModel,
    at property: PropertyDescription,
    from: Int,
    again: Bool
  ) {
    let index = property.index
    let wasUnlinked = unlinked.contains(index)
    if property.isToMany {
      let many = knownToMany(index)
      // The program set both sides during initialization, so the link already exists.
      if wasUnlinked || again, many.contains(other) { return }
      notify(own, property: property) {
        willChange(index)
        many.append(other)
      }
      return
    }
    let old = previous(index)
    unlinked.remove(index)
    if old === other {
      if phase != .detached { keep(other, at: index) }
      return
    }
    if let old { old._$state.forget(own, of: old, through: description.inverse(of: index)) }
    notify(own, property: property) {
      willChange(index)
      if phase == .detached {
        slots[index] = .toOne(.object(other))
      } else {
        keep(other, at: index)
      }
    }
  }

  /// Removes an object from a relationship of this object.
  func forget(
    _ gone: any PersistentModel,
    of own: any PersistentModel,
    through inverse: PropertyReference?
  ) {
    guard let property = inverse?.property, !isForeign(gone._$state) else { return }
    let index = property.index
    if property.isToMany {
      let many = knownToMany(index)
      guard !many.isLoaded || many.contains(gone) else { return }
      notify(own, property: property) {
        willChange(index)
        many.remove(gone)
      }
    } else if knownToOne(index) === gone {
      notify(own, property: property) {
        willChange(index)
        slots[index] = .toOne(.none)
      }
    }
  }

  func notify(
    _ model: any PersistentModel,
    property: PropertyDescription,
    _ change: () -> Void
  ) {
    func open<Model: PersistentModel>(_ model: Model) {
      func mutate<Value>(_: Value.Type) -> Bool {
        guard let keyPath = property.keyPath as? KeyPath<Model, Value> else { return false }
        registrar.withMutation(of: model, keyPath: keyPath, change)
        return true
      }
      if !_openExistential(property.valueType, do: mutate) { change() }
    }
    open(model)
  }
}
