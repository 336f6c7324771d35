extension _ModelState {
  /// Forgets the changes after a save; objects that hold each other release one another.
  func settle() {
    changed.removeAll()
    isPending = false
    isUnsynced = false
    for property in description.relationships {
      let index = property.index
      switch slots[index] {
      case .toOne(.object(let other)): keep(other, at: index)
      case .toOne(.companion(let companion, let row)) where row < 0:
        // It was new when it was linked; now a row identifies it.
        guard let other = companion.model else { continue }
        slots[index] = .toOne(.companion(companion, row: other._$state.row))
      case .toMany(let many): many.settle()
      default: break
      }
    }
  }

  func becomeDeleted(in context: ModelContext) {
    guard phase != .deleted else { return }
    context.unregister(self)
    phase = .deleted
    isPending = false
    isUnsynced = false
    changed.removeAll()
    unlink()
    for case .toMany(let many) in slots where many.isLoaded && many.remembersChanges {
      many.added = ModelList(many.models)
    }
  }

  /// Makes relationships update their other sides when the object is inserted again.
  func unlink() {
    for index in slots.indices {
      switch slots[index] {
      case .toOne(.object), .toOne(.companion), .toMany: unlinked.insert(index)
      default: break
      }
    }
  }

  /// Makes collections be read at their next use if another context or process saved since.
  ///
  /// The same applies to references in the other object's row. Relationships with unsaved changes
  /// stay.
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

  /// Makes references be read at their next use, because the store set some to nil.
  func forgetReferences(of model: any PersistentModel) {
    for property in description.properties where !changed.contains(property.index) {
      guard case .toOne = slots[property.index] else { continue }
      notify(model, property: property) { slots[property.index] = .empty }
    }
  }
}
