/// The objects as they were before a save merged some of them, so that a failed save can restore
/// them.
struct SaveJournal {
  private struct Entry {
    let state: _ModelState
    let model: (any PersistentModel)?
    let changed: PropertySet
    let unlinked: PropertySet
    let isPending: Bool
    let phase: _ModelState.Phase
    let registry: (any ObjectOwner)?
    var values: [Int: Slot] = [:]
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var joined: [(model: any PersistentModel, state: _ModelState)] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Stores a value of an object, and the object's `phase`, before they change.
  mutating func remember(_ index: Int, of state: _ModelState) {
    remember(state)
    let identity = ObjectIdentifier(state)
    guard entries[identity]?.values[index] == nil else { return }
    entries[identity]?.values[index] = state.slots[index].copied
  }

  /// Stores a new object before it is merged with another object.
  mutating func remember(_ model: any PersistentModel) {
    remember(model._$state)
    joined.append((model, model._$state))
  }

  private mutating func remember(_ state: _ModelState) {
    guard entries[ObjectIdentifier(state)] == nil else { return }
    entries[ObjectIdentifier(state)] = Entry(
      state: state,
      model: state.model,
      changed: state.changed,
      unlinked: state.unlinked,
      isPending: state.isPending,
      phase: state.phase,
      registry: state.registry
    )
  }

  func restore(in context: ModelContext) {
    for (model, state) in joined.reversed() { model._$state = state }
    for entry in entries.values {
      let state = entry.state
      state.phase = entry.phase
      state.registry = entry.registry
      for (index, slot) in entry.values {
        if let model = entry.model {
          let property = state.description.properties[index]
          state.notify(model, property: property) { state.slots[index] = slot }
        } else {
          state.slots[index] = slot
        }
      }
      state.changed = entry.changed
      state.unlinked = entry.unlinked
      state.isPending = entry.isPending
      context.pendingRowsChanged(state)
    }
  }
}
