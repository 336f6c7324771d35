import SwiftData
import Testing

@MainActor
@Suite("Editing drawings")
struct DrawingTests {
  private func makeContainer() throws -> ModelContainer {
    try ModelContainer(for: Drawing.self, configurations: .init(isStoredInMemoryOnly: true))
  }

  @Test("Edits are undone and redone one by one.")
  func undo() throws {
    let editor = DrawingEditor(container: try makeContainer())
    let drawing = Drawing(title: "Map")
    editor.edit("Add") { $0.insert(drawing) }
    editor.edit("Rename") { _ in drawing.title = "Plan" }
    editor.edit("Shape") { _ in drawing.shapes.append(Shape(name: "circle")) }
    #expect(editor.undoManager.undoActionName == "Shape")

    editor.undo()
    #expect(drawing.shapes.isEmpty)
    editor.undo()
    #expect(drawing.title == "Map")
    editor.redo()
    #expect(drawing.title == "Plan")
    editor.redo()
    #expect(drawing.shapes.map(\.name) == ["circle"])

    editor.undo()
    editor.undo()
    editor.undo()
    #expect(try editor.context.fetchCount(FetchDescriptor<Drawing>()) == 0)
    #expect(!editor.undoManager.canUndo && editor.undoManager.canRedo)
  }

  @Test("Undoing a deletion restores the object and its parts.")
  func undoDeletion() throws {
    let editor = DrawingEditor(container: try makeContainer())
    let drawing = Drawing(title: "Map")
    editor.edit("Add") { context in
      context.insert(drawing)
      drawing.shapes = [Shape(name: "circle"), Shape(name: "square")]
    }
    try editor.context.save()
    editor.edit("Delete") { $0.delete(drawing) }
    #expect(try editor.context.fetchCount(FetchDescriptor<Drawing>()) == 0)
    editor.undo()
    try editor.context.save()
    let read = try ModelContext(editor.container).fetch(FetchDescriptor<Drawing>())
    #expect(read.map(\.title) == ["Map"])
    #expect(read.first?.shapes.map(\.name).sorted() == ["circle", "square"])
  }

  @Test("Observers of a stored property run when it is set, not when it is read from a store.")
  func didSet() throws {
    let context = ModelContext(try makeContainer())
    let drawing = Drawing(title: "Map")
    context.insert(drawing)
    drawing.width = 200
    drawing.width = 300
    #expect(drawing.resizes == 2 && drawing.area == 30_000)
    try context.save()
    let read = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Drawing>()).first
    )
    #expect(read.width == 300 && read.resizes == 2)
  }

  @Test("An ephemeral value is not saved.")
  func ephemeral() throws {
    let context = ModelContext(try makeContainer())
    let drawing = Drawing(title: "Map")
    drawing.selection = 3
    context.insert(drawing)
    try context.save()
    let read = try ModelContext(context.container).fetch(FetchDescriptor<Drawing>()).first
    #expect(read?.title == "Map" && read?.selection == nil)
  }

  @Test("Each save reports its insertions, updates and deletions in an async sequence.")
  func notifications() async throws {
    let context = ModelContext(try makeContainer())
    var reports = saves(of: context).makeAsyncIterator()
    let map = Drawing(title: "Map")
    let plan = Drawing(title: "Plan")
    context.insert(map)
    context.insert(plan)
    try context.save()
    var report = try #require(await reports.next())
    #expect(report.inserted == [map.persistentModelID, plan.persistentModelID])
    #expect(report.updated.isEmpty && report.deleted.isEmpty)

    let id = plan.persistentModelID
    map.title = "Chart"
    context.delete(plan)
    try context.save()
    report = try #require(await reports.next())
    #expect(report.inserted.isEmpty)
    #expect(report.updated == [map.persistentModelID] && report.deleted == [id])
  }

  @Test("A rollback reverts unsaved changes.")
  func rollback() throws {
    let context = ModelContext(try makeContainer())
    let drawing = Drawing(title: "Map")
    context.insert(drawing)
    try context.save()
    drawing.title = "Plan"
    context.insert(Drawing(title: "Other"))
    context.rollback()
    #expect(drawing.title == "Map" && !context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Drawing>()) == 1)
  }
}
