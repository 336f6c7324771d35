import SwiftData
import Testing

@MainActor
@Suite("Editing drawings")
struct DrawingTests {
  @Test("Undoing a deletion restores the object and its parts.")
  func undoDeletion() throws {
    let editor = DrawingEditor(
      container: try ModelContainer(
        for: Drawing.self,
        configurations: .init(isStoredInMemoryOnly: true)
      )
    )
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
}
