import Store

extension ModelContext {
  /// Marks a model to be deleted by the next save, with all that its delete rules take along.
  public func delete<T: PersistentModel>(_ model: T) { deleteAny(model) }

  /// Marks a model to be deleted; a deletion that only followed from another, and is being made
  /// again with it, was not asked for.
  func deleteAny(_ model: any PersistentModel, isAsked: Bool = true) {
    let state = model._$state
    // What another context has not saved has no row that this one could delete.
    if state.registry !== registry, state.phase == .stored || state.phase == .deleting {
      insertAny(model)
    }
    guard model._$state.registry === registry else { return }
    // An object of a released context may have become one with the one that this context has.
    let model = model._$state.model ?? model
    if isAsked { pending.askToDelete(model) }
    var queue: [any PersistentModel] = [model]
    var next = 0
    while next < queue.count {
      deleteOne(queue[next], alsoDelete: &queue)
      next += 1
    }
    if !pending.isEmpty { scheduleAutosave() }
  }

  /// Deletes one object, and tells those that it leads to; the store does the same once more for
  /// rows that no context has in memory.
  private func deleteOne(
    _ model: any PersistentModel,
    alsoDelete queue: inout [any PersistentModel]
  ) {
    let state = model._$state
    guard state.context === self else { return }
    let wasInserted = state.phase == .inserting
    guard wasInserted || state.phase == .stored else { return }
    undoRecorder.deleted(model, in: self)
    for property in state.description.properties where property.destination != nil {
      let isCascade = property.relationship?.deleteRule == .cascade
      let others: [any PersistentModel]
      // A store that keeps both sides is told of each object that loses a reference.
      // So are those that hold it in a collection and that it does not know yet.
      if isCascade || state.isInJoinTable(property.index)
        || state.entity.map(container.store(of:))?.keepsWholeObjects ?? false
      {
        others = state.related(at: property.index)
      } else {
        others = state.knownRelated(at: property.index)
      }
      let rule = property.relationship?.deleteRule ?? .nullify
      // A denied deletion is found by the store, which must still see what stands in its way.
      guard wasInserted || (rule != .noAction && rule != .deny) else { continue }
      let inverse = state.description.inverse(of: property.index)
      for other in others {
        other._$state.forget(model, of: other, through: inverse)
      }
      if isCascade {
        queue += others
        pending.delete(others, with: model)
      }
    }
    if wasInserted {
      pending.withdraw(model)
      pendingRowsChanged(state)
      state.detach()
      state.isUnsynced = true
      return
    }
    if state.isPending { pending.changed.remove(model) }
    state.phase = .deleting
    state.isPending = true
    pending.delete(model)
    pendingRowsChanged(state)
  }

  /// Takes a deletion back, and all that followed from it: the objects are told to those around
  /// them again.
  func keep(_ model: any PersistentModel) {
    let wasAsked = pending.isAskedToDelete(model)
    let models = pending.keep(model).filter { $0._$state.phase == .deleting }
    undoRecorder.kept(models, wasAsked: wasAsked && models.first === model)
    for model in models {
      let state = model._$state
      if let entity = state.entity { pending.withdrawFromBatch(entity, row: state.row) }
      state.phase = .stored
      state.isPending = false
      pendingRowsChanged(state)
    }
    for model in models {
      let state = model._$state
      state.unlink()
      state.linkInitialValues(of: model, again: true)
      if !state.changed.isEmpty, !state.isPending { list(state, model: model) }
    }
  }

  /// Marks all models that a predicate selects to be deleted by the next save.
  public func delete<T: PersistentModel>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws {
    var descriptor = FetchDescriptor<T>(predicate: predicate)
    descriptor.includeSubclasses = includeSubclasses
    guard let entity = container.map.entity(of: model) else {
      for object in try fetch(descriptor) { deleteAny(object) }
      return
    }
    let fetch = ContextFetch(descriptor: descriptor, entity: entity, context: self)
    try fetch.store.delete(fetch)
  }

  func deleteAll<T: PersistentModel>(_ type: T.Type) throws { try delete(model: type) }
}

extension _ModelState {
  fileprivate func isInJoinTable(_ index: Int) -> Bool {
    if case .joinTable = entity?.relationships[index]?.storage { true } else { false }
  }

  /// The objects that a relationship leads to, read from the store when they must be.
  func related(at index: Int) -> [any PersistentModel] {
    if description.properties[index].isToMany { return toMany(index).models }
    return toOne(index).map { [$0] } ?? []
  }

  /// The objects that a relationship leads to, as far as they are in memory.
  func knownRelated(at index: Int) -> [any PersistentModel] {
    if description.properties[index].isToMany {
      guard case .toMany(let many) = slots[index] else { return [] }
      return many.models
    }
    return knownToOne(index).map { [$0] } ?? []
  }
}
