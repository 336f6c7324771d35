extension _ModelState {
  /// Has nothing more to save; objects that keep each other alive let go of one another.
  func settle() {
    changed.removeAll()
    isPending = false
    isUnsynced = false
    for property in description.relationships {
      let index = property.index
      switch slots[index] {
      case .toOne(.object(let other)): keep(other, at: index)
      case .toOne(.companion(let companion, let row)) where row < 0:
        // It was new when it was met; now it has a row to be found by.
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

  /// Will tell its relationships to their other sides when it is inserted again.
  func unlink() {
    for index in slots.indices {
      switch slots[index] {
      case .toOne(.object), .toOne(.companion), .toMany: unlinked.insert(index)
      default: break
      }
    }
  }

  /// Reads collections again when they are touched, if somebody else has saved since they were read.
  ///
  /// So it does with references that the other object's row tells of. What has changes of one's own
  /// stays until these are saved.
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

  /// Reads its references again when they are touched: the store has taken some of them away.
  func forgetReferences(of model: any PersistentModel) {
    for property in description.properties where !changed.contains(property.index) {
      guard case .toOne = slots[property.index] else { continue }
      notify(model, property: property) { slots[property.index] = .empty }
    }
  }
}
