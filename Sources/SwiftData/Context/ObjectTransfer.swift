import Format
import Store

/// Moves objects into another context after the release of their own context, with their changes
/// and with all objects in memory that they refer to.
///
/// If the context already has an object for the same row, the two objects are merged as in an
/// upsert: changed values replace the values of the context's object, and unchanged values do not.
struct ObjectTransfer {
  private let context: ModelContext
  private let former: Registry
  /// The references are strong, because the program may not have any reference to these objects.
  private var models: [any PersistentModel] = []
  private var seen: Set<ObjectIdentifier> = []
  /// For each moved object that is merged: the context's own object for the same row.
  private var twins: [ObjectIdentifier: any PersistentModel] = [:]
  private var wereDeleted: Set<ObjectIdentifier> = []

  init(by context: ModelContext, from former: Registry) {
    self.context = context
    self.former = former
  }

  mutating func moveAll(from root: any PersistentModel) {
    add(root)
    var next = 0
    while next < models.count {
      follow(models[next]._$state)
      next += 1
    }
    for model in models { move(model) }
    if let twin = twins[ObjectIdentifier(root)], twin._$state.phase == .deleting {
      context.keep(twin)
    }
    for model in models { leadToTwins(model._$state) }
    for model in models { settle(model) }
  }

  private mutating func add(_ model: any PersistentModel) {
    let state = model._$state
    guard state.registry === former, seen.insert(ObjectIdentifier(model)).inserted else { return }
    models.append(model)
    guard let entity = state.entity else { return }
    for other in former.twins(entity, row: state.row) { add(other) }
  }

  private mutating func follow(_ state: _ModelState) {
    for property in state.description.relationships {
      let index = property.index
      switch state.slots[index] {
      case .toOne(.object(let other)): add(other)
      case .toOne(.companion(let weak, let row)):
        if let other = weak.model ?? registered(state, at: index, row: row) { add(other) }
      case .toOne(.row(let row)):
        if let other = registered(state, at: index, row: row) { add(other) }
      case .toMany(let many):
        for other in many.models + many.removed.elements { add(other) }
      default: break
      }
      // An object that moved to another owner is in neither list of this collection: not in the
      // members, and not in the removed members. It is found by its reference, which changed.
      if state.changed.contains(index), state.isKeptByOther(index),
        let inverse = state.description.inverse(of: index)
      {
        for other in former.takeChanged(inverse.property) { add(other) }
      }
    }
  }

  private func registered(
    _ state: _ModelState,
    at index: Int,
    row: Int64
  ) -> (any PersistentModel)? {
    former.container.map.destination(of: index, in: state.entity).flatMap { former[$0, row] }
  }

  private mutating func move(_ model: any PersistentModel) {
    let state = model._$state
    guard state.registry === former, let entity = state.entity else { return }
    guard state.phase != .inserting else { return state.detach() }
    former.remove(entity, row: state.row)
    if state.phase == .deleting { wereDeleted.insert(ObjectIdentifier(model)) }
    let row = context.session(of: entity).row(of: state)
    if let twin = context.registry[entity, row] {
      twins[ObjectIdentifier(model)] = twin
      return
    }
    if state.storeKey != nil { state.row = row }
    context.pending.withdrawFromBatch(entity, row: row)
    state.registry = context.registry
    state.phase = .stored
    state.isPending = false
    state.isUnsynced = false
    // The relationships of this object are read again, because other contexts may have saved since
    // they were read.
    state.reading = context.registry.readings[entity.storeIndex].number &- 1
    context.registry.add(state.reference(to: model), entity: entity, row: state.row)
  }

  private func moved(_ model: any PersistentModel) -> any PersistentModel {
    twins[ObjectIdentifier(model)] ?? model
  }

  /// Replaces references to moved objects by references to the context's own objects.
  private func leadToTwins(_ state: _ModelState) {
    guard state.registry === context.registry, let entity = state.entity else { return }
    let isWhole = context.session(of: entity).keepsWholeObjects
    for property in state.description.relationships {
      let index = property.index
      let isChanged = state.changed.contains(index)
      switch state.slots[index] {
      // Each context numbers the identities of a custom store itself, so the row numbers of another
      // context can't be used.
      case .toOne where isWhole && !isChanged: state.slots[index] = .empty
      case .toOne(.object(let other)) where isTwin(other): state.keep(moved(other), at: index)
      case .toOne(.companion(let weak, _)):
        if let other = weak.model, isTwin(other) { state.keep(moved(other), at: index) }
      case .toMany(let many) where many.isLoaded && !isChanged:
        if isWhole || many.models.contains(where: isTwin) { many.unload() }
      case .toMany(let many):
        for other in many.models where isTwin(other) {
          many.remove(other)
          many.append(moved(other))
        }
      default: break
      }
    }
  }

  private func isTwin(_ model: any PersistentModel) -> Bool {
    twins[ObjectIdentifier(model)] != nil
  }

  /// Registers an object's changes for the next save of the context, and updates the other sides of
  /// its links.
  private func settle(_ model: any PersistentModel) {
    if let twin = twins[ObjectIdentifier(model)] { return join(model, with: twin) }
    let state = model._$state
    guard state.phase != .detached else { return context.insertAny(model) }
    if wereDeleted.contains(ObjectIdentifier(model)) { state.unlink() }
    for property in state.description.relationships where state.changed.contains(property.index) {
      state.unlinked.insert(property.index)
    }
    state.linkInitialValues(of: model, again: true)
    guard !state.changed.isEmpty, !state.isPending else { return }
    context.list(state, model: model)
    context.pendingRowsChanged(state)
  }

  /// Merges an object with the context's object for the same row.
  private func join(_ model: any PersistentModel, with twin: any PersistentModel) {
    let (state, target) = (model._$state, twin._$state)
    guard state !== target, let entity = target.entity else { return }
    // If this object was marked as deleted, related objects were updated. The deletion will not
    // happen, so all its relationships are merged.
    let wasDeleted = wereDeleted.contains(ObjectIdentifier(model))
    for property in state.description.properties where target.phase == .stored {
      let index = property.index
      guard state.changed.contains(index) || (wasDeleted && property.destination != nil) else {
        continue
      }
      switch property.kind {
      case .attribute, .unsupported:
        target.notify(twin, property: property) {
          target.willChange(index)
          target.slots[index] = state.slots[index]
        }
      case .toOne:
        guard case .toOne(let reference) = state.slots[index] else { continue }
        switch reference {
        case .none: target.setToOne(index, to: nil, owner: twin)
        case .object(let other): target.setToOne(index, to: moved(other), owner: twin)
        case .companion(let weak, _):
          guard let other = weak.model else { continue }
          target.setToOne(index, to: moved(other), owner: twin)
        case .row: continue
        }
      case .toMany:
        guard case .toMany(let many) = state.slots[index] else { continue }
        let members = wasDeleted ? many.models : many.added.elements
        guard !members.isEmpty || !many.removed.isEmpty else { continue }
        let gone = Set(many.removed.elements.map { ObjectIdentifier(moved($0)) })
        let present = target.toMany(index).models.filter { !gone.contains(ObjectIdentifier($0)) }
        let known = Set(present.map { ObjectIdentifier($0) })
        let more = members.map(moved).filter { !known.contains(ObjectIdentifier($0)) }
        target.setToMany(index, to: present + more, owner: twin)
      }
    }
    // Avoids a reference cycle: lists of the old registry may contain this state.
    state.registry = nil
    model._$state = target
    context.registry.addTwin(model, entity: entity, row: target.row)
  }
}
