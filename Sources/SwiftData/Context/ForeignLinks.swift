// An object of another context may be another thread's. A relationship that is set to one holds it,
// and tells it nothing; a save is refused until the relationship is led elsewhere.

/// A relationship that was set to an object of another context.
struct ForeignLink {
  var owner: any PersistentModel
  var index: Int
  var other: any PersistentModel

  /// True while the relationship still leads there.
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
  /// True for an object of another context than this one's.
  func isForeign(_ other: _ModelState) -> Bool {
    guard let registry, let others = other.registry else { return false }
    return registry !== others
  }

  /// Notes what a relationship that was given an earlier value back leads to in other contexts.
  func noteForeignLinks(at index: Int, of owner: any PersistentModel) {
    let others: [any PersistentModel]
    switch slots[index] {
    case .toOne(.object(let model)): others = [model]
    case .toMany(let many): others = many.models
    default: return
    }
    for other in others where isForeign(other._$state) {
      context?.pending.foreignLinks.append(ForeignLink(owner: owner, index: index, other: other))
    }
  }
}

extension ModelContext {
  /// Throws while a relationship leads to an object of another context; nothing changes by that.
  func refuseForeignLinks() throws {
    guard !pending.foreignLinks.isEmpty else { return }
    pending.foreignLinks.removeAll { !$0.stands }
    var next = 0
    // To adopt one object may find links to others.
    while next < pending.foreignLinks.count {
      let link = pending.foreignLinks[next]
      next += 1
      let state = link.owner._$state
      if let former = link.other._$state.registry, former !== registry, former.isReleased,
        former.container === container
      {
        insertAny(link.other)
      }
      let other = link.other._$state
      if state.isForeign(other) {
        throw SwiftDataError(
          .linkToOtherContext(
            "\(state.description.name).\(state.description.properties[link.index].name)",
            "\(state.identifier.id)",
            "\(other.identifier.id)"
          )
        )
      }
      // The other context was released, or took back that it was to be inserted there.
      state.unlinked.insert(link.index)
      state.linkInitialValues(of: link.owner, again: true)
    }
    pending.foreignLinks = []
  }
}
