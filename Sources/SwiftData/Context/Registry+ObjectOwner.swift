extension Registry: ObjectOwner {
  func willChange(_ state: _ModelState, at index: Int) { context.willChange(state, at: index) }

  func fill(_ state: _ModelState) { context.fill(state) }

  func readExternal(_ digest: String, of state: _ModelState) -> Data? {
    context.readExternal(digest, of: state)
  }

  func readToOne(_ state: _ModelState, at index: Int) -> ToOne? {
    context.readToOne(state, at: index)
  }

  func load(_ many: ToMany, of state: _ModelState, at index: Int) {
    context.load(many, of: state, at: index)
  }

  func relatedModel(of state: _ModelState, at index: Int, row: Int64) -> (any PersistentModel)? {
    context.relatedModel(of: state, at: index, row: row)
  }

  func registeredRelative(
    of state: _ModelState,
    at index: Int,
    row: Int64
  ) -> (any PersistentModel)? {
    context.registeredRelative(of: state, at: index, row: row)
  }

  func insertAny(_ model: any PersistentModel) { context.insertAny(model) }

  func unregister(_ state: _ModelState) {
    // A store may reuse the identity of a deleted object. Then the registered object is another
    // one, and stays registered.
    guard let entity = state.entity,
      self[entity, state.row].map({ $0._$state === state }) ?? true
    else { return }
    remove(entity, row: state.row)
  }

  func noteForeignLink(of owner: any PersistentModel, at index: Int, to other: any PersistentModel)
  {
    context.pending.foreignLinks.append(ForeignLink(owner: owner, index: index, other: other))
  }

  /// Native stores do not distinguish nil from empty, so contexts read an empty collection.
  func keepsNilCollections(of entity: EntityDescription) -> Bool {
    sessions[entity.storeIndex].keepsWholeObjects
  }

  func storeIdentifier(of entity: EntityDescription) -> String {
    container.storeIdentifier(of: entity)
  }
}

extension PersistentModel {
  /// The context of the object; nil before the object is inserted, after it is deleted, and after
  /// its context was released.
  public var modelContext: ModelContext? {
    let state = _$state
    guard state.phase != .detached, state.phase != .deleted else { return nil }
    return (state.registry as? Registry)?.visibleContext
  }
}
