import Store

extension ModelContext {
  /// Marks a model for deletion by the next save, together with the objects that its delete rules
  /// include.
  ///
  /// Nothing happens if the model is not in this context.
  public func delete<T: PersistentModel>(_ model: T) { deleteAny(model) }

  /// Marks a model for deletion; `isAsked` is false if undo repeats a deletion that was only a
  /// consequence of another deletion.
  func deleteAny(_ model: any PersistentModel, isAsked: Bool = true) {
    let state = model._$state
    // An unsaved object of another context has no row that could be deleted, so it is left out.
    if state.registry !== registry, state.phase == .stored || state.phase == .deleting {
      insertAny(model)
    }
    guard model._$state.registry === registry else { return }
    // If the object's context was released, adoption may have merged the object with an object of
    // this context. Then that object is deleted.
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

  /// Deletes one object and updates the objects that it refers to.
  ///
  /// The store applies the same rules to rows whose objects are not in memory.
  private func deleteOne(
    _ model: any PersistentModel,
    alsoDelete queue: inout [any PersistentModel]
  ) {
    let state = model._$state
    guard state.registry === registry else { return }
    let wasInserted = state.phase == .inserting
    guard wasInserted || state.phase == .stored else { return }
    undoRecorder.deleted(model, in: self)
    for property in state.description.properties where property.destination != nil {
      let isCascade = property.relationship?.deleteRule == .cascade
      let others: [any PersistentModel]
      // A store that records both sides of a relationship must also save each object that loses a
      // reference or a member of a collection.
      if isCascade || state.isInJoinTable(property.index)
        || state.entity.map(session)?.keepsWholeObjects ?? false
      {
        others = state.related(at: property.index)
      } else {
        others = state.knownRelated(at: property.index)
      }
      let rule = property.relationship?.deleteRule ?? .nullify
      // The store checks the rule `.deny` during the save. The check needs the links to the objects
      // that prevent the deletion, so they are kept.
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

  /// Cancels the deletion of an object and the deletions that are only its consequences.
  ///
  /// The links of all these objects are restored.
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

  /// Marks all models that a predicate selects; the next save deletes them.
  ///
  /// Without a predicate, all models of the class and its subclasses are deleted.
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
    try fetch.session.delete(fetch)
  }

  func deleteAll<T: PersistentModel>(_ type: T.Type) throws { try delete(model: type) }
}

extension _ModelState {
  fileprivate func isInJoinTable(_ index: Int) -> Bool {
    if case .joinTable = entity?.relationships[index]?.storage { true } else { false }
  }
}
