import Foundation
import SwiftData
import Testing

@Model final class Branch {
  var name: String
  var parent: Branch?
  @Relationship(deleteRule: .cascade, inverse: \Branch.parent) var twigs: [Branch] = []
  @Relationship(deleteRule: .cascade, inverse: \Leaf.branch) var leaves: [Leaf] = []
  init(name: String) { self.name = name }
}

@Model final class Leaf {
  var name: String
  var branch: Branch?
  @Relationship(deleteRule: .cascade, inverse: \Bug.leaves) var bugs: [Bug] = []
  init(name: String) { self.name = name }
}

@Model final class Bug {
  var name: String
  var leaves: [Leaf] = []
  init(name: String) { self.name = name }
}

@Suite("Reverting deletions with their cascades")
struct CascadeTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let root = Branch(name: "root")
  private let twig = Branch(name: "twig")
  private let leaf = Leaf(name: "leaf")
  private let second = Leaf(name: "second")
  private let bug = Bug(name: "bug")

  init() throws {
    container = try ModelContainer(
      for: Branch.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    context = ModelContext(container)
    root.twigs = [twig]
    twig.leaves = [leaf, second]
    leaf.bugs = [bug]
    second.bugs = [bug]
    context.insert(root)
    try context.save()
  }

  /// The tree in the store.
  private func tree() throws -> [String] {
    let other = ModelContext(container)
    let branches = try other.fetch(FetchDescriptor<Branch>(sortBy: [SortDescriptor(\.name)]))
    let leaves = try other.fetch(FetchDescriptor<Leaf>(sortBy: [SortDescriptor(\.name)]))
    let bugs = try other.fetch(FetchDescriptor<Bug>())
    return branches.map { "\($0.parent?.name ?? "-")/\($0.name)" }
      + leaves.map { "\($0.branch?.name ?? "-")/\($0.name)" }
      + bugs.map { $0.leaves.map(\.name).sorted().joined(separator: "+") + "/\($0.name)" }
  }
  private let saved = ["-/root", "root/twig", "twig/leaf", "twig/second", "leaf+second/bug"]

  @Test("Inserting a deleted object restores everything its cascade deleted, on all levels.")
  func whole() throws {
    context.delete(root)
    #expect(context.deletedModelsArray.count == 5)
    context.insert(root)
    #expect(context.deletedModelsArray.isEmpty)
    #expect(twig.parent === root && leaf.branch === twig && bug.leaves.count == 2)
    #expect(Set(twig.leaves) == [leaf, second] && leaf.bugs == [bug])
    try context.save()
    #expect(try tree() == saved)
  }

  @Test("Objects that were deleted directly stay deleted, with their cascades.")
  func asked() throws {
    context.delete(second)
    context.delete(root)
    context.insert(root)
    #expect(second.isDeleted && bug.isDeleted && !leaf.isDeleted)
    context.insert(second)
    try context.save()
    #expect(try tree() == saved)

    context.delete(root)
    context.delete(leaf)
    context.insert(root)
    #expect(leaf.isDeleted && bug.isDeleted && !second.isDeleted)
    try context.save()
    #expect(try tree() == ["-/root", "root/twig", "twig/second"])
  }

  @Test("A restored object has no links to deleted objects until they are restored too.")
  func shared() throws {
    context.delete(leaf)
    context.delete(second)
    context.insert(leaf)
    #expect(!bug.isDeleted)
    #expect(bug.leaves == [leaf])
    context.insert(second)
    #expect(Set(bug.leaves) == [leaf, second] && second.bugs == [bug])
    try context.save()
    #expect(try tree() == saved)

    context.delete(leaf)
    context.delete(second)
    context.insert(leaf)
    try context.save()
    #expect(try tree() == ["-/root", "root/twig", "twig/leaf", "leaf/bug"])
  }

  @Test("Unsaved objects of a cascade are restored too, with the saved ones.")
  func unsaved() throws {
    let new = Branch(name: "new")
    root.twigs = [new]
    new.twigs = [twig]
    context.delete(root)
    #expect(twig.isDeleted && new.modelContext == nil)
    context.insert(root)
    #expect(!twig.isDeleted && new.modelContext === context)
    try context.save()
    #expect(
      try tree()
        == ["root/new", "-/root", "new/twig", "twig/leaf", "twig/second", "leaf+second/bug"]
    )
  }

  @Test("Objects that delete each other in a circle are restored together.")
  func circle() throws {
    root.parent = twig
    try context.save()
    context.delete(root)
    #expect(context.deletedModelsArray.count == 5)
    context.insert(root)
    #expect(context.deletedModelsArray.isEmpty)
    try context.save()
    #expect(try tree() == ["twig/root"] + saved.dropFirst())
  }

  @Test("A deletion is undone, redone and undone again.")
  func redone() throws {
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(root)
    for _ in 0..<3 {
      manager.undo()
      #expect(context.deletedModelsArray.isEmpty)
      manager.redo()
      #expect(context.deletedModelsArray.count == 5)
    }
    context.insert(root)
    #expect(context.deletedModelsArray.isEmpty)
    manager.undo()
    #expect(context.deletedModelsArray.count == 5)
    manager.undo()
    try context.save()
    #expect(try tree() == saved)
    #expect(manager.canRedo)
    manager.redo()
    try context.save()
    #expect(try tree().isEmpty)
    manager.undo()
    try context.save()
    #expect(try tree() == saved)
  }
}
