import Foundation
import SwiftData
import Testing

@Suite("Undo and redo")
struct UndoTests {
  private func context() throws -> ModelContext {
    let context = ModelContext(try tripContainer())
    context.undoManager = UndoManager()
    return context
  }

  @Test("An insertion, a change and a deletion are undone and redone.")
  func steps() throws {
    let context = try context()
    let manager = try #require(context.undoManager)
    let trip = Trip(name: "A", destination: "Oslo")
    context.insert(trip)
    try context.save()
    trip.destination = "Bergen"
    context.processPendingChanges()
    trip.destination = "Voss"
    trip.budget = 7
    context.processPendingChanges()
    context.delete(trip)
    manager.undo()
    #expect(!trip.isDeleted)
    manager.undo()
    #expect(trip.destination == "Bergen" && trip.budget == 0)
    manager.undo()
    #expect(trip.destination == "Oslo")
    manager.redo()
    #expect(trip.destination == "Bergen")
    manager.redo()
    #expect(trip.destination == "Voss" && trip.budget == 7)
    manager.undo()
    manager.undo()
    #expect(trip.destination == "Oslo")
    manager.undo()
    #expect(!manager.canUndo)
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test("A rollback removes all steps.")
  func rollback() throws {
    let context = try context()
    let manager = try #require(context.undoManager)
    let trip = Trip(name: "A", destination: "Oslo")
    context.insert(trip)
    try context.save()
    trip.destination = "Bergen"
    context.processPendingChanges()
    trip.destination = "Voss"
    context.processPendingChanges()
    manager.undo()
    trip.budget = 7
    context.rollback()
    #expect(!manager.canUndo && !manager.canRedo)
    manager.undo()
    #expect(!context.hasChanges && trip.destination == "Oslo")
    trip.destination = "Bergen"
    manager.undo()
    #expect(trip.destination == "Oslo")
  }

  @Test("Undo restores both sides of a relationship.")
  func relationships() throws {
    let context = try context()
    let manager = try #require(context.undoManager)
    let trip = Trip(name: "A")
    context.insert(trip)
    let item = BucketListItem(title: "x")
    trip.bucketList.append(item)
    try context.save()
    trip.bucketList.removeAll()
    #expect(item.trip == nil)
    manager.undo()
    #expect(trip.bucketList.map(\.title) == ["x"])
    #expect(item.trip === trip)
    manager.redo()
    #expect(trip.bucketList.isEmpty)
    manager.undo()
    context.delete(trip)
    manager.undo()
    try context.save()
    let found = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<BucketListItem>()).first
    )
    #expect(found.title == "x")
  }

  @Test("A new change removes the actions that could be redone.")
  func newChange() throws {
    let context = try context()
    let manager = try #require(context.undoManager)
    let trip = Trip(name: "A")
    context.insert(trip)
    manager.undo()
    #expect(manager.canRedo)
    context.insert(Trip(name: "B"))
    context.processPendingChanges()
    #expect(!manager.canRedo)
  }

  @Test("Undo records nothing while registration is disabled.")
  func disabled() throws {
    let context = try context()
    let manager = try #require(context.undoManager)
    manager.disableUndoRegistration()
    context.insert(Trip(name: "A"))
    manager.enableUndoRegistration()
    #expect(!manager.canUndo)
  }

  @Test("Undo groups, names and levels work without a context.")
  func manager() {
    final class Counter { var value = 0 }
    let counter = Counter()
    let manager = UndoManager()
    func add(_ amount: Int) {
      counter.value += amount
      manager.registerUndo(withTarget: counter) { _ in add(-amount) }
    }
    manager.beginUndoGrouping()
    add(1)
    add(2)
    manager.setActionName("Adding")
    manager.endUndoGrouping()
    #expect(manager.undoActionName == "Adding")
    manager.undo()
    #expect(counter.value == 0 && manager.redoActionName == "Adding")
    manager.redo()
    #expect(counter.value == 3)
    manager.levelsOfUndo = 2
    for _ in 0..<5 { add(10) }
    manager.undo()
    manager.undo()
    #expect(!manager.canUndo && counter.value == 33)
  }
}
