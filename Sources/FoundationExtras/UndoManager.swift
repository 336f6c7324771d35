/// An object that records what can be taken back and made again.
///
/// Foundation has none on Linux; this one works as Apple's does for a `ModelContext`:
/// ```swift
/// context.undoManager = UndoManager()
/// trip.name = "Bergen"
/// context.undoManager?.undo()
/// ```
public final class UndoManager {
  /// What was done in one step: how to take it back.
  private struct Group {
    var actions: [() -> Void] = []
    var name = ""
  }

  private var undoStack: [Group] = []
  private var redoStack: [Group] = []
  private var open: [Group] = []
  private var disabled = 0
  /// Called before anything is undone, so that changes which are still open become a group.
  package var willUndo: (() -> Void)?

  /// True while something is being taken back.
  public private(set) var isUndoing = false
  /// True while something is being made again.
  public private(set) var isRedoing = false
  /// The most steps that are kept; zero means any number.
  public var levelsOfUndo = 0
  /// True if registering outside a group opens one.
  public var groupsByEvent = true

  /// Makes a manager that knows of nothing.
  public init() {}

  /// True if there is something to take back.
  public var canUndo: Bool {
    willUndo?()
    return !undoStack.isEmpty
  }
  /// True if there is something to make again.
  public var canRedo: Bool { !redoStack.isEmpty }
  /// How many groups are open.
  public var groupingLevel: Int { open.count }
  /// True unless registration is disabled.
  public var isUndoRegistrationEnabled: Bool { disabled == 0 }
  /// The name of the step that ``undo()`` takes back.
  public var undoActionName: String { undoStack.last?.name ?? "" }
  /// The name of the step that ``redo()`` makes again.
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

  /// Records how to take back what is about to be done.
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

  /// Opens a group: all that is registered until it ends is one step.
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

  /// Takes back the last step.
  public func undo() {
    willUndo?()
    while !open.isEmpty { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Takes back the last group.
  public func undoNestedGroup() {
    guard let group = undoStack.popLast() else { return }
    isUndoing = true
    run(group)
    isUndoing = false
  }

  /// Makes again what was taken back last.
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

  /// Forgets everything.
  public func removeAllActions() {
    undoStack = []
    redoStack = []
    open = []
  }

  /// Records nothing until it is enabled again.
  public func disableUndoRegistration() { disabled += 1 }
  /// Records again.
  public func enableUndoRegistration() { disabled = max(0, disabled - 1) }
}
