import Format
import Store

extension CustomSession {
  func write(_ save: PendingSave, _ writeRest: () throws -> Void) throws {
    try write(save)
    try writeRest()
  }

  /// Writes the changes of a save that belong to this store; a call that throws has changed nothing
  /// in memory.
  private func write(_ save: PendingSave) throws {
    func own(_ states: [_ModelState]) -> [_ModelState] {
      states.filter { $0.entity?.storeIndex == storeIndex }
    }
    let inserted = own(save.inserted)
    let updated = own(save.changed)
    var deleted = own(save.deleted)
    try refuseDeniedDeletions(deleted)
    for state in updated { try complete(state) }
    deleted = try deleted.filter { try isThere($0) }
    for deletion in save.changes.batchDeleted where deletion.entity.storeIndex == storeIndex {
      deleted += try deleteBatch(deletion, save: save)
    }
    guard !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty else { return }
    let saved = try store.save(
      inserted: inserted,
      updated: updated,
      deleted: deleted,
      editingState: context.editingState,
      // If a property could not be read for a snapshot, the save must fail instead of writing nil.
      check: { try context.throwDeferredError() }
    )
    take(saved, for: inserted, save: save)
  }

  /// Reads missing values of an object, because a store always receives all values of an object.
  private func complete(_ state: _ModelState) throws {
    guard state.hasEmptySlots, try !fill(state) else { return }
    throw deletedMeanwhile("\(state.description.name) \(state.identifier.id)")
  }

  private func isThere(_ state: _ModelState) throws -> Bool {
    try !state.hasEmptySlots || fill(state)
  }

  /// Throws if the rule `.deny` prevents one of the deletions, because the object has destinations.
  private func refuseDeniedDeletions(_ deleted: [_ModelState]) throws {
    for state in deleted {
      for property in state.description.properties
      where property.relationship?.deleteRule == .deny {
        let inverse = state.description.inverse(of: property.index)?.property
        let kept = state.related(at: property.index).filter { model in
          let other = model._$state
          guard other.livingIdentifier != nil else { return false }
          guard let inverse, !inverse.isToMany else { return true }
          // An object that now refers to another object does not prevent the deletion.
          guard case .toOne = other.slots[inverse.index] else { return true }
          return other.toOneRow(inverse.index) == state.row
        }
        guard !kept.isEmpty else { continue }
        throw SwiftDataError(.deletionDenied) {
          "The \(state.description.name) \(state.identifier.id) can't be deleted: \(property.name)"
            + " has the delete rule .deny and refers to \(countText(kept.count, noun: "object"))."
            + "\nFirst delete the objects in \(property.name), or remove them from it."
        }
      }
    }
  }

  /// Makes the store delete a batch; if the store can't, returns the objects, which must be deleted
  /// one by one.
  private func deleteBatch(
    _ deletion: PendingChanges.BatchDeletion,
    save: PendingSave
  ) throws -> [_ModelState] {
    let identifiers = deletion.rows.compactMap(identities.identifier(of:))
    save.batchDeleted += identifiers
    if let run = deletion.atOnce {
      do {
        try run(context.editingState)
        return []
      } catch is DataStoreError {
        // The store declined the batch, but it may be able to delete the objects one by one.
      }
    }
    let found = try models(for: identifiers)
    save.doomed += Array(found.values)
    return found.values.map(\._$state)
  }

  private func take(_ saved: CustomStore.Saved, for inserted: [_ModelState], save: PendingSave) {
    var outcome = CustomOutcome(session: self, reregistered: saved.reregistered)
    outcome.remapped = saved.remapped
    var owners: [PersistentIdentifier: _ModelState] = [:]
    for state in inserted {
      let temporary = state.identifier
      let identifier = saved.remapped[temporary] ?? temporary
      let row = identities.row(for: identifier)
      let registered = model(for: identifier)?._$state
      if let target = owners[identifier] ?? registered, target !== state,
        target.phase == .stored || target.phase == .inserting
      {
        outcome.joined.append((new: state, target: target))
        save.keepIdentifier(of: state, as: target)
        if target.phase == .stored, !save.changed.contains(where: { $0 === target }) {
          save.changed.append(target)
        }
        continue
      }
      owners[identifier] = state
      save.renumbered.append(PendingSave.Renumbering(state: state, row: state.row))
      save.keepIdentifier(of: state, as: state)
      state.become(row: row, storeKey: identifier)
    }
    if !outcome.joined.isEmpty {
      let joined = Set(outcome.joined.map { ObjectIdentifier($0.new) })
      save.inserted.removeAll { joined.contains(ObjectIdentifier($0)) }
    }
    save.outcomes.append(outcome)
  }
}

struct CustomOutcome: SaveOutcome {
  let session: CustomSession
  let reregistered: [PersistentIdentifier: any DataStoreSnapshot]
  var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// New objects that the store merged with existing ones.
  var joined: [(new: _ModelState, target: _ModelState)] = []

  var deletedIdentifiers: [PersistentIdentifier] { [] }
  var updatedIdentifiers: [PersistentIdentifier] { [] }

  func loseObjects(in context: ModelContext) {}

  /// Makes two objects with the same identity share one state, whose values are then read again.
  func join(in context: ModelContext) {
    for (new, target) in joined {
      guard let model = new.model else { continue }
      if let entity = new.entity { context.registry.remove(entity, row: new.row) }
      new.detach()
      model._$state = target
      target.changed.removeAll()
      guard let owner = target.model else { continue }
      for property in target.description.properties where !property.isEphemeral {
        target.notify(owner, property: property) { target.slots[property.index] = .empty }
      }
    }
  }

  func reregister(in context: ModelContext) throws {
    for (key, snapshot) in reregistered {
      let identifier = remapped[key] ?? key
      guard let model = session.model(for: identifier), model._$state.phase == .stored else {
        continue
      }
      let values = try SnapshotValues.of(snapshot, as: model._$state.description)
        .copy(identifier, remapped: remapped)
      try context.refresh(
        model._$state,
        of: model,
        values: StoredSnapshot(values: values, identities: session.identities)
      )
    }
  }
}

extension _ModelState {
  var hasEmptySlots: Bool {
    description.properties.contains { property in
      guard case .empty = slots[property.index] else { return false }
      return !property.isEphemeral
    }
  }
}
