/// Records steps that can be undone and redone.
///
/// Foundation on Linux does not have this class. For a `ModelContext` it works like Apple's:
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
  public private(set) var isUndoing = false
  /// Whether a step is being redone.
  public private(set) var isRedoing = false
  /// The maximum number of steps that are kept; zero means that all are kept.
  public var levelsOfUndo = 0
  /// Whether a registration outside of a group opens a group.
  public var groupsByEvent = true

  /// Creates a manager without steps.
  public init() {}

  /// Whether there is a step to undo.
  public var canUndo: Bool {
    willUndo?()
    return !undoStack.isEmpty
  }
  /// Whether there is a step to redo.
  public var canRedo: Bool { !redoStack.isEmpty }
  /// The number of open groups.
  public var groupingLevel: Int { open.count }
  /// Whether registration is enabled.
  public var isUndoRegistrationEnabled: Bool { disabled == 0 }
  /// The name of the step that ``undo()`` undoes.
  public var undoActionName: String { undoStack.last?.name ?? "" }
  /// The name of the step that ``redo()`` repeats.
  public var redoActionName: String { redoStack.last?.name ?? "" }

  /// Names the step that is being recorded, or that was recorded last.
  public func setActionName(_ actionName: String) {
    willUndo?()
    if !open.isEmpty {
      open[open.count - 1].name = actionName
    } else if !undoStack.isEmpty {
      undoStack[undoStack.count - 1].name = actionName
    }
  }

  /// Records the action that undoes the next change.
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
  public func undo() {
    willUndo?()
    while !open.isEmpty { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the last group.
  public func undoNestedGroup() {
    guard let group = undoStack.popLast() else { return }
    isUndoing = true
    run(group)
    isUndoing = false
  }

  /// Repeats the last undone step.
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

  /// Stops recording.
  public func disableUndoRegistration() { disabled += 1 }
  /// Resumes recording.
  public func enableUndoRegistration() { disabled = max(0, disabled - 1) }
}
