extension NativeSave {
  /// Removes deleted objects, and objects that have another owner now, from relationships in memory
  /// that do not show these changes yet.
  ///
  /// Relationships without an inverse, and those that the store's delete rules changed, do not show
  /// such changes by themselves.
  func dropStrays(isRuled: Bool) {
    let touched = Set((save.deleted + hidden.states).compactMap { $0.entity?.tableIndex })
    var seen: Set<Int> = []
    let container = context.container
    for entity in container.map.entities where entity.storeIndex == storeIndex {
      let isOwner = entity.model.relationships.contains { property in
        isRuled
          || isLoose(property, of: entity.model)
            && container.map.destination(of: property.index, in: entity).map {
              touched.contains($0.tableIndex)
            }
              ?? false
      }
      guard isOwner, seen.insert(entity.tableIndex).inserted else { continue }
      for owner in context.registry.table(of: entity).values.compactMap(\.model) {
        dropStrays(of: owner, all: isRuled)
      }
    }
  }

  private func isLoose(_ property: PropertyDescription, of model: _ModelDescription) -> Bool {
    property.isToMany && model.inverse(of: property.index) == nil
  }

  private func dropStrays(of owner: any PersistentModel, all: Bool) {
    let state = owner._$state
    for property in state.description.relationships
    where all || isLoose(property, of: state.description) {
      switch state.slots[property.index] {
      case .toMany(let many) where many.isLoaded:
        let column = "_\(property.owner)_\(property.name)"
        let strays = many.models.filter { isStray($0._$state, of: state, column: column) }
        guard !strays.isEmpty else { continue }
        state.notify(owner, property: property) {
          for model in strays { many.remove(model) }
          many.settle()
        }
      case .toOne where state.knownToOne(property.index)?._$state.phase == .deleted:
        state.notify(owner, property: property) { state.slots[property.index] = .empty }
      default: break
      }
    }
  }

  private func isStray(_ member: _ModelState, of owner: _ModelState, column: String) -> Bool {
    if member.phase == .deleted || member.phase == .detached { return true }
    guard let other = hidden.owner(of: member, column: column) else { return false }
    return other !== owner
  }
}
