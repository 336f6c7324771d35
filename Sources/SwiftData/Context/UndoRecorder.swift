/// Registers the changes of a context with an undo manager; each group of changes is one undo step.
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

  /// Stores the value that a property has at the beginning of the group.
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
      // An upsert may have merged the model with an object that existed before; undo must not
      // delete that object.
      if model._$state === state { context.deleteAny(model) }
    }
  }

  func deleted(_ model: any PersistentModel, in context: ModelContext) {
    guard isRecording else { return }
    actions.append { $0.insertAny(model) }
  }

  /// Records cancelled deletions, each cause before its consequences.
  func kept(_ models: [any PersistentModel], wasAsked: Bool) {
    guard isRecording else { return }
    for (index, model) in models.enumerated().reversed() {
      actions.append { $0.deleteAny(model, isAsked: wasAsked && index == 0) }
    }
  }

  func endGroup(in context: ModelContext) {
    guard let manager, !actions.isEmpty else { return }
    let actions = actions
    self.actions = []
    seen = [:]
    manager.registerUndo(withTarget: context) { context in
      for action in actions.reversed() { action(context) }
    }
  }

  /// Discards the changes since the last step, because they were reverted without undo.
  func forget() {
    actions = []
    seen = [:]
  }

  /// Discards all steps, because they revert changes of objects that have other values now.
  func forgetAll() {
    forget()
    manager?.removeAllActions()
  }
}

extension Slot {
  /// A copy that does not change when the original changes.
  var copied: Slot {
    if case .toMany(let many) = self { return .toMany(many.copy()) }
    return self
  }
}

extension _ModelState {
  /// Reads the saved value before a change replaces it, so that undo can restore it.
  fileprivate func readBeforeChange(_ index: Int, in context: ModelContext) {
    guard phase == .stored else { return }
    let property = description.properties[index]
    if property.isToMany {
      // A save before the undo clears the lists of added and removed members, so all members are
      // read now.
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

  /// Restores a value; a collection computes its added and removed members again.
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
