/// Tells an undo manager of the changes in a context, one group between two pauses.
final class UndoRecorder {
  private var manager: UndoManager?
  private weak var context: ModelContext?
  private var actions: [(ModelContext) -> Void] = []
  private var seen: [ObjectIdentifier: PropertySet] = [:]

  func attach(to manager: UndoManager?, of context: ModelContext) {
    detach()
    self.manager = manager
    self.context = context
    manager?.willUndo = { [weak self, weak context] in
      if let context { self?.endGroup(in: context) }
    }
  }

  func detach() {
    manager?.willUndo = nil
    manager = nil
    actions = []
    seen = [:]
  }

  private var isRecording: Bool { manager?.isUndoRegistrationEnabled ?? false }

  /// Remembers the value that a property had when the group began.
  func willChange(_ state: _ModelState, at index: Int, in context: ModelContext) {
    guard isRecording, let model = state.model else { return }
    guard !(seen[ObjectIdentifier(state)]?.contains(index) ?? false) else { return }
    seen[ObjectIdentifier(state), default: PropertySet()].insert(index)
    state.readBeforeChange(index, in: context)
    let old = state.slots[index].copied
    actions.append { context in
      let state = model._$state
      let property = state.description.properties[index]
      state.notify(model, property: property) {
        context.willChange(state, at: index)
        state.changed.insert(index)
        state.restore(old, at: index)
        state.noteForeignLinks(at: index, of: model)
      }
    }
  }

  func inserted(_ model: any PersistentModel, in context: ModelContext) {
    guard isRecording else { return }
    let state = model._$state
    actions.append { context in
      // After an upsert it stands for an object that was there before.
      if model._$state === state { context.deleteAny(model) }
    }
  }

  func deleted(_ model: any PersistentModel, in context: ModelContext) {
    guard isRecording else { return }
    actions.append { $0.insertAny(model) }
  }

  /// Remembers deletions that are taken back, those first from which the others followed.
  func kept(_ models: [any PersistentModel], wasAsked: Bool) {
    guard isRecording else { return }
    for (index, model) in models.enumerated().reversed() {
      actions.append { $0.deleteAny(model, isAsked: wasAsked && index == 0) }
    }
  }

  /// Makes one step of what was changed since the last.
  func endGroup(in context: ModelContext) {
    guard let manager, !actions.isEmpty else { return }
    let actions = actions
    self.actions = []
    seen = [:]
    manager.registerUndo(withTarget: context) { context in
      for action in actions.reversed() { action(context) }
    }
  }

  /// Forgets what was changed since the last step: it was taken back in another way.
  func forget() {
    actions = []
    seen = [:]
  }
}

extension Slot {
  /// The slot as it is now, which later changes don't reach.
  var copied: Slot {
    if case .toMany(let many) = self { return .toMany(many.copy()) }
    return self
  }
}

extension _ModelState {
  /// Brings a value into memory that a change would hide, so that undo can give it back.
  fileprivate func readBeforeChange(_ index: Int, in context: ModelContext) {
    guard phase == .stored else { return }
    let property = description.properties[index]
    if property.isToMany {
      // What came and went since the last save may be saved when the change is undone.
      if description.remembersChanges(of: index) { _ = toMany(index) }
      return
    }
    if case .empty = slots[index] { context.fill(self) }
    if property.isExternal, case .value(.text(let digest)) = slots[index],
      let data = context.readExternal(digest, of: self)
    {
      slots[index] = .value(.blob(data))
    }
  }

  /// Gives a property back what it had; collections compute anew what came and went.
  fileprivate func restore(_ old: Slot, at index: Int) {
    guard case .toMany(let many) = old, many.remembersChanges else {
      slots[index] = old
      return
    }
    let current = toMany(index)
    _ = current.assign(many.models)
    current.isNil = many.isNil
  }
}
