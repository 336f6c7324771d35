extension _ModelState {
  /// Clears the record of changes after a save, and resolves reference cycles between linked
  /// objects.
  func settle() {
    changed.removeAll()
    isPending = false
    isUnsynced = false
    for property in description.relationships {
      let index = property.index
      switch slots[index] {
      case .toOne(.object(let other)): keep(other, at: index)
      case .toOne(.companion(let companion, let row)) where row < 0:
        // When the link was created, the other object did not have a row yet. Now the row
        // identifies the object.
        guard let other = companion.model else { continue }
        slots[index] = .toOne(.companion(companion, row: other._$state.row))
      case .toMany(let many): many.settle()
      default: break
      }
    }
  }

  func becomeDeleted(in registry: some ObjectOwner) {
    guard phase != .deleted else { return }
    registry.unregister(self)
    phase = .deleted
    isPending = false
    isUnsynced = false
    changed.removeAll()
    unlink()
    for index in slots.indices {
      guard case .toMany(let many) = slots[index], many.isLoaded, many.remembersChanges else {
        continue
      }
      many.added = ModelList(many.models)
    }
  }

  /// Marks the relationships of the object.
  ///
  /// If the object is inserted again, the marked relationships update their other sides again.
  func unlink() {
    for index in slots.indices {
      switch slots[index] {
      case .toOne(.object), .toOne(.companion), .toMany: unlinked.insert(index)
      default: break
      }
    }
  }

  /// Forgets collections that were read before another context or process saved; their next use
  /// reads them again.
  ///
  /// To-one relationships whose column is in the other object's row are also forgotten.
  /// Relationships with unsaved changes are not affected.
  func forgetRelationships(of model: any PersistentModel, before number: Int32) {
    guard reading != number else { return }
    var stays = false
    for property in description.relationships {
      let index = property.index
      switch slots[index] {
      case _ where changed.contains(index): stays = true
      case .toMany(let many) where many.isLoaded:
        notify(model, property: property) { many.unload() }
      case .toOne where isKeptByOther(index):
        notify(model, property: property) { slots[index] = .empty }
      default: break
      }
    }
    if !stays { reading = number }
  }

  /// Forgets the other sides of relationships with the rule `noAction` after this object was
  /// deleted; their next use reads them again.
  ///
  /// With this rule, the deletion has not changed the other objects before.
  func forgetLinksWithoutRule() {
    for property in description.relationships where property.relationship?.deleteRule == .noAction {
      guard let inverse = description.inverse(of: property.index)?.property else { continue }
      for other in knownRelated(at: property.index) {
        let state = other._$state
        guard state.phase == .stored, !state.changed.contains(inverse.index) else { continue }
        state.notify(other, property: inverse) {
          if case .toMany(let many) = state.slots[inverse.index] {
            many.unload()
          } else {
            state.slots[inverse.index] = .empty
          }
        }
      }
    }
  }

  /// Forgets references after the store set some of them to nil; their next use reads them again.
  func forgetReferences(of model: any PersistentModel) {
    for property in description.properties where !changed.contains(property.index) {
      guard case .toOne = slots[property.index] else { continue }
      notify(model, property: property) { slots[property.index] = .empty }
    }
  }
}
