import Format
import Store

extension ModelContext {
  func willChange(_ state: _ModelState, at index: Int) {
    changeCount += 1
    undoRecorder.willChange(state, at: index, in: self)
    if !state.isUnsynced { pendingRowsChanged(state) }
    if state.description.ephemerals.contains(index), !state.changed.contains(index) {
      pending.rememberEphemeral(index, of: state)
    }
    journal?.remember(index, of: state)
    guard state.phase == .stored, !state.isPending, let model = state.model else { return }
    list(state, model: model)
  }

  func list(_ state: _ModelState, model: any PersistentModel) {
    state.isPending = true
    pending.changed.append(model)
    scheduleAutosave()
  }

  /// Marks an object's row as out of date in the overlay, through which SQL sees pending changes.
  func pendingRowsChanged(_ state: _ModelState) {
    changeCount += 1
    state.isUnsynced = true
    pending.unsynced.append(state)
  }

  /// Ends the group of changes that one undo reverts.
  ///
  /// A save also ends the group of changes.
  public func processPendingChanges() {
    undoRecorder.endGroup(in: self)
  }

  /// Discards all changes since the last save, and all steps of the undo manager; inserted objects
  /// no longer belong to the context.
  public func rollback() {
    let changes = pending
    changeCount += 1
    pending.removeAll()
    deferredError = nil
    for session in registry.sessions { session.forgetChanges() }
    undoRecorder.forgetAll()
    for model in changes.inserted.elements {
      model._$state.detach()
    }
    for model in changes.deleted.elements {
      let state = model._$state
      state.phase = .stored
      state.isPending = false
      state.forgetChanges(of: model, in: changes)
    }
    for model in changes.changed.elements {
      let state = model._$state
      state.isPending = false
      state.forgetChanges(of: model, in: changes)
    }
    for deletion in changes.batchDeleted {
      for row in deletion.rows {
        guard let model = registry[deletion.entity, row] else { continue }
        model._$state.phase = .stored
        model._$state.forgetChanges(of: model, in: changes)
      }
    }
    if !changes.deleted.isEmpty || !changes.batchDeleted.isEmpty { forgetWhatWasReadWithout() }
  }

  /// Forgets relationships that were read while objects were marked as deleted; those objects now
  /// exist again.
  private func forgetWhatWasReadWithout() {
    for entity in container.map.entities where !session(of: entity).keepsWholeObjects {
      for model in registry.table(of: entity).values.compactMap(\.model) {
        model._$state.forgetReadRelationships(of: model)
      }
    }
  }

  /// Runs a closure and saves its changes.
  ///
  /// - Throws: The error of the closure, in which case nothing is saved; or the error of the save.
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }
}

extension _ModelState {
  /// Removes the object from its context.
  ///
  /// An object without a context keeps its values.
  func detach() {
    phase = .detached
    registry = nil
    isPending = false
    isUnsynced = false
    changed.removeAll()
    unlink()
  }

  /// Forgets the relationships of this object that its row does not contain; the next use of such a
  /// relationship reads it again.
  fileprivate func forgetReadRelationships(of model: any PersistentModel) {
    guard phase == .stored, let entity else { return }
    for property in description.relationships {
      if case .column = entity.relationships[property.index]?.storage { continue }
      if case .empty = slots[property.index] { continue }
      if usedRegistrar == nil {
        slots[property.index] = .empty
      } else {
        notify(model, property: property) { slots[property.index] = .empty }
      }
    }
  }

  /// Discards the changes of an object; the next use of its values reads them from the store.
  func forgetChanges(of model: any PersistentModel, in changes: PendingChanges) {
    isUnsynced = false
    for property in description.properties where changed.contains(property.index) {
      let index = property.index
      notify(model, property: property) {
        slots[index] = changes.ephemeral(index, of: self) ?? .empty
      }
    }
    changed.removeAll()
  }
}
