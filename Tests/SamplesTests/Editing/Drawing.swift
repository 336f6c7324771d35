import Foundation
import SwiftData

@Model
final class Drawing {
  var title: String
  var width: Double {
    didSet { resizes += 1 }
  }
  var height: Double
  var resizes = 0
  @Attribute(.ephemeral) var selection: Int?
  @Relationship(deleteRule: .cascade, inverse: \Shape.drawing)
  var shapes: [Shape] = []

  init(title: String, width: Double = 100, height: Double = 100) {
    self.title = title
    self.width = width
    self.height = height
  }

  var area: Double { width * height }
}

@Model
final class Shape {
  var name: String
  var drawing: Drawing?

  init(name: String) {
    self.name = name
  }
}

/// A document window, whose edits can be undone.
@MainActor
final class DrawingEditor {
  let container: ModelContainer
  let undoManager = UndoManager()
  var context: ModelContext { container.mainContext }

  init(container: ModelContainer) {
    self.container = container
    undoManager.groupsByEvent = false
    container.mainContext.undoManager = undoManager
    container.mainContext.autosaveEnabled = false
  }

  func edit(_ name: String, _ work: (ModelContext) -> Void) {
    undoManager.beginUndoGrouping()
    work(context)
    context.processPendingChanges()
    undoManager.setActionName(name)
    undoManager.endUndoGrouping()
  }

  func undo() { undoManager.undo() }
  func redo() { undoManager.redo() }
}
