import Foundation
import FoundationExtras
import Testing

private final class Document {
  var title = ""
}

@Suite("UndoManager and ValueTransformer without SwiftData")
struct UndoManagerTests {
  @Test("A registered action is undone and redone under its name.")
  func undo() {
    let document = Document()
    let manager = UndoManager()
    func rename(to title: String) {
      let old = document.title
      manager.registerUndo(withTarget: document) { _ in rename(to: old) }
      document.title = title
    }
    rename(to: "Bergen")
    manager.setActionName("Rename")
    #expect(manager.canUndo && manager.undoActionName == "Rename")
    manager.undo()
    #expect(document.title.isEmpty && manager.canRedo)
    manager.redo()
    #expect(document.title == "Bergen")
  }

  @Test("A subclass of ValueTransformer is registered under a name, and transforms values.")
  func transformer() {
    final class Reversed: ValueTransformer {
      override func transformedValue(_ value: Any?) -> Any? {
        (value as? String).map { String($0.reversed()) }
      }
    }
    ValueTransformer.setValueTransformer(Reversed(), forName: NSValueTransformerName("Reversed"))
    #expect(Reversed().transformedValue("abc") as? String == "cba")
    #expect(ValueTransformer.allowsReverseTransformation())
  }
}
