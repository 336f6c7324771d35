// Sets the states of the objects after a save: the saved state after a success, or the earlier
// state after a failure.

extension PendingSave {
  /// Restores the objects after a failure; all changes remain pending.
  func undo() {
    for entry in renumbered { entry.state.takeBack(row: entry.row) }
    renumbered = []
    guard let journal = context.journal, !journal.isEmpty else { return }
    context.journal = nil
    context.pending = changes
    journal.restore(in: context)
    // Undo must not revert the changes that the save itself made.
    context.undoRecorder.forget()
  }

  func settle() {
    let registry = context.registry
    context.pending.removeAll()
    for session in registry.sessions { session.forgetChanges() }
    for outcome in outcomes { outcome.join(in: context) }
    if let entity = inserted.first?.entity { registry.reserve(entity, more: inserted.count) }
    for model in changes.inserted.elements {
      let state = model._$state
      guard state.phase == .inserting, let entity = state.entity else { continue }
      state.phase = .stored
      registry.add(state.reference(to: model), entity: entity, row: state.row)
    }
    let stores = context.container.storeIdentifiers
    for (row, state) in givenRows {
      registry.savedIdentifiers[row] = state.savedIdentifier(stores)
    }
    for model in changes.inserted.elements { model._$state.settle() }
    for model in changes.changed.elements { model._$state.settle() }
    for model in changes.deleted.elements + doomed {
      model._$state.becomeDeleted(in: registry)
    }
    for outcome in outcomes { outcome.loseObjects(in: context) }
    for model in changes.deleted.elements { model._$state.forgetLinksWithoutRule() }
    for outcome in outcomes { context.report { try outcome.reregister(in: context) } }
    context.undoRecorder.endGroup(in: context)
  }

  /// The identifiers of all deleted objects, without duplicates.
  var deletedIdentifiers: [PersistentIdentifier] {
    let stores = context.container.storeIdentifiers
    return deleted.map { $0.savedIdentifier(stores) } + batchDeleted
      + outcomes.flatMap(\.deletedIdentifiers)
  }

  /// The identifiers of all objects with changed values or links, without duplicates.
  var updatedIdentifiers: [PersistentIdentifier] {
    let stores = context.container.storeIdentifiers
    let own = changed.map { $0.savedIdentifier(stores) }
    let more = outcomes.flatMap(\.updatedIdentifiers)
    guard !more.isEmpty else { return own }
    var known = Set(inserted.map { $0.savedIdentifier(stores) })
    return (own + more).filter { known.insert($0).inserted }
  }
}
