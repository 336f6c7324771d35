import Format

// An object of another context may belong to another thread. A relationship that is set to an
// object of another context contains only a reference to the object. A save fails until the program
// sets the relationship to something else.

struct ForeignLink {
  var owner: any PersistentModel
  var index: Int
  var other: any PersistentModel

  /// Whether the relationship still refers to the object.
  fileprivate var stands: Bool {
    let state = owner._$state
    guard [.inserting, .stored].contains(state.phase) else { return false }
    switch state.slots[index] {
    case .toOne(.object(let model)): return model === other
    case .toMany(let many): return many.contains(other)
    default: return false
    }
  }
}

extension _ModelState {
  /// Records the links of a relationship to objects of other contexts, after the relationship's
  /// earlier value was restored.
  func noteForeignLinks(at index: Int, of owner: any PersistentModel) {
    let others: [any PersistentModel]
    switch slots[index] {
    case .toOne(.object(let model)): others = [model]
    case .toMany(let many): others = many.models
    default: return
    }
    for other in others where isForeign(other._$state) {
      registry?.noteForeignLink(of: owner, at: index, to: other)
    }
  }
}

extension ModelContext {
  /// Throws if a relationship refers to an object of another context.
  ///
  /// A call that throws changes nothing.
  func refuseForeignLinks() throws {
    guard !pending.foreignLinks.isEmpty else { return }
    pending.foreignLinks.removeAll { !$0.stands }
    var next = 0
    // Adopting an object may reveal links to further objects.
    while next < pending.foreignLinks.count {
      let link = pending.foreignLinks[next]
      next += 1
      let state = link.owner._$state
      if let former = link.other._$state.registry as? Registry, former !== registry,
        former.isReleased, former.container === container
      {
        insertAny(link.other)
      }
      let other = link.other._$state
      if state.isForeign(other) {
        let model = state.description
        throw SwiftDataError(.modelValidationFailure) {
          "\(model.name).\(model.properties[link.index].name) of the object \(state.identifier.id)"
            + " refers to the object \(other.identifier.id), which belongs to another context."
            + " Nothing was saved."
            + "\nSave the other object in its context, and then pass its persistentModelID to"
            + " model(for:) of this context."
        }
      }
      // The context of the other object was released, or rolled back its insertion. So the link is
      // set now.
      state.unlinked.insert(link.index)
      state.linkInitialValues(of: link.owner, again: true)
    }
    pending.foreignLinks = []
  }
}
