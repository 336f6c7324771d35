/// Records steps that can be undone and redone.
///
/// Foundation on Linux does not have this class. For a `ModelContext`, it works like Apple's class:
/// ```swift
/// context.undoManager = UndoManager()
/// trip.name = "Bergen"
/// context.undoManager?.undo()
/// ```
public final class UndoManager {
  /// The actions that undo one step.
  private struct Group {
    var actions: [() -> Void] = []
    var name = ""
  }

  private var undoStack: [Group] = []
  private var redoStack: [Group] = []
  private var open: [Group] = []
  private var disabled = 0
  /// Called before an undo, to close the open group.
  package var willUndo: (() -> Void)?

  /// Whether a step is being undone.
  ///
  /// Actions that are registered during an undo belong to the step to redo, not to the step to
  /// undo.
  public private(set) var isUndoing = false
  /// Whether a step is being redone.
  ///
  /// Actions that are registered during a redo belong to the step to undo, and do not remove other
  /// steps to redo.
  public private(set) var isRedoing = false
  /// The maximum number of steps that are kept; zero means that all are kept.
  public var levelsOfUndo = 0
  /// Has no effect: an action that is registered outside of a group is a separate step.
  public var groupsByEvent = true

  /// Creates a manager without steps.
  public init() {}

  /// Whether there is a step to undo.
  ///
  /// Actions in an open group do not count until the group ends.
  public var canUndo: Bool {
    willUndo?()
    return !undoStack.isEmpty
  }
  /// Whether there is a step to redo.
  ///
  /// A new registration removes all steps to redo.
  public var canRedo: Bool { !redoStack.isEmpty }
  /// The number of open groups; 0 if no group is open.
  public var groupingLevel: Int { open.count }
  /// Whether actions are registered.
  ///
  /// False after ``disableUndoRegistration()``, until ``enableUndoRegistration()`` has been called
  /// the same number of times.
  public var isUndoRegistrationEnabled: Bool { disabled == 0 }
  /// The name of the step that ``undo()`` undoes; empty if the step has no name.
  public var undoActionName: String { undoStack.last?.name ?? "" }
  /// The name of the step that ``redo()`` repeats; empty if the step has no name.
  public var redoActionName: String { redoStack.last?.name ?? "" }

  /// Names the open group, or the last step if no group is open.
  public func setActionName(_ actionName: String) {
    willUndo?()
    if !open.isEmpty {
      open[open.count - 1].name = actionName
    } else if !undoStack.isEmpty {
      undoStack[undoStack.count - 1].name = actionName
    }
  }

  /// Registers the action that undoes the next change.
  ///
  /// If the target was released, undoing does nothing.
  public func registerUndo<Target: AnyObject>(
    withTarget target: Target,
    handler: @escaping (Target) -> Void
  ) {
    guard isUndoRegistrationEnabled else { return }
    let action = { [weak target] in
      if let target { handler(target) }
    }
    if !open.isEmpty {
      open[open.count - 1].actions.append(action)
    } else {
      push(Group(actions: [action]))
    }
  }

  /// Opens a group; all actions that are registered until its end are one step.
  public func beginUndoGrouping() { open.append(Group()) }

  /// Ends the group that was opened last.
  ///
  /// A group without actions is not a step.
  public func endUndoGrouping() {
    guard let group = open.popLast(), !group.actions.isEmpty else { return }
    if open.isEmpty {
      push(group)
    } else {
      open[open.count - 1].actions.append(contentsOf: group.actions)
    }
  }

  private func push(_ group: Group) {
    if isUndoing {
      redoStack.append(group)
      return
    }
    if !isRedoing { redoStack = [] }
    undoStack.append(group)
    if levelsOfUndo > 0, undoStack.count > levelsOfUndo { undoStack.removeFirst() }
  }

  /// Undoes the last step.
  ///
  /// All open groups end before the undo.
  public func undo() {
    willUndo?()
    while !open.isEmpty { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the last group, and does nothing if there is no group.
  public func undoNestedGroup() {
    guard let group = undoStack.popLast() else { return }
    isUndoing = true
    run(group)
    isUndoing = false
  }

  /// Repeats the last undone step, and does nothing if there is no such step.
  public func redo() {
    willUndo?()
    guard let group = redoStack.popLast() else { return }
    isRedoing = true
    run(group)
    isRedoing = false
  }

  private func run(_ group: Group) {
    beginUndoGrouping()
    for action in group.actions.reversed() { action() }
    willUndo?()
    if !open.isEmpty { open[open.count - 1].name = group.name }
    endUndoGrouping()
  }

  /// Removes all steps.
  public func removeAllActions() {
    undoStack = []
    redoStack = []
    open = []
  }

  /// Stops registration until ``enableUndoRegistration()`` has been called the same number of
  /// times.
  public func disableUndoRegistration() { disabled += 1 }
  /// Resumes registration, if it has been called as often as ``disableUndoRegistration()``.
  public func enableUndoRegistration() { disabled = max(0, disabled - 1) }
}
