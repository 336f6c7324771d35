import Foundation
import SwiftData
import Testing

@Suite("Relationships to objects of other contexts")
struct ForeignObjectTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext

  init() throws {
    container = try tripContainer()
    context = ModelContext(container)
    other = ModelContext(container)
  }

  private func foreignTrip(saved: Bool) throws -> Trip {
    let trip = Trip(name: "theirs")
    other.insert(trip)
    if saved { try other.save() }
    return trip
  }

  private func expectRefusal(_ names: [String]) {
    #expect {
      try context.save()
    } throws: { error in
      SwiftDataError.modelValidationFailure ~= error
        && (names + ["another context", "model(for:)"]).allSatisfy("\(error)".contains)
    }
  }

  @Test("Each save refuses a foreign reference until it is changed.", arguments: [true, false])
  func reference(_ saved: Bool) throws {
    let trip = try foreignTrip(saved: saved)
    let item = BucketListItem(title: "x")
    context.insert(item)
    item.trip = trip
    #expect(item.trip === trip)
    for _ in 0..<2 { expectRefusal(["BucketListItem.trip", "Trip"]) }
    // The other context is not changed, because it may belong to another thread.
    #expect(trip.bucketList.isEmpty && other.hasChanges == !saved)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    try other.save()
    item.trip = context.model(for: trip.persistentModelID) as? Trip
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<BucketListItem>())
    #expect(found.map(\.trip?.name) == ["theirs"])
  }

  @Test("A foreign member is refused in both kinds of collections.")
  func members() throws {
    let item = BucketListItem(title: "theirs")
    other.insert(item)
    try other.save()
    let trip = Trip(name: "A")
    let tag = Tag(label: "t")
    context.insert(trip)
    context.insert(tag)
    try context.save()
    trip.bucketList.append(item)
    expectRefusal(["Trip.bucketList", "BucketListItem"])
    trip.bucketList.removeAll { $0 === item }
    try context.save()
    tag.items = [item]
    expectRefusal(["Tag.items", "BucketListItem"])
    #expect(item.trip == nil && item.tags.isEmpty && !other.hasChanges)
    context.rollback()
    #expect(tag.items.isEmpty)
    try context.save()
  }

  @Test("A new object between two contexts belongs to the first, and its save is refused.")
  func between() throws {
    let trip = Trip(name: "mine")
    context.insert(trip)
    let tag = Tag(label: "theirs")
    other.insert(tag)
    let item = BucketListItem(title: "x", trip: trip)
    item.tags = [tag]
    context.insert(item)
    #expect(item.modelContext === context && tag.modelContext === other)
    expectRefusal(["BucketListItem.tags", "Tag"])
    context.delete(item)
    try context.save()
    try other.save()
  }

  @Test("An object whose foreign references are removed in any way can be saved.")
  func takenBack() throws {
    let manager = UndoManager()
    context.undoManager = manager
    let item = BucketListItem(title: "x")
    context.insert(item)
    try context.save()
    item.trip = try foreignTrip(saved: true)
    manager.undo()
    #expect(item.trip == nil)
    try context.save()
    manager.redo()
    expectRefusal(["BucketListItem.trip"])
    item.trip = Trip(name: "mine")
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 2)
  }
}
