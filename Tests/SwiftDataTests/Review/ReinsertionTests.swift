import Foundation
import SwiftData
import Testing

@Suite("Inserting deleted objects again")
struct ReinsertionTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try tripContainer()
    context = ModelContext(container)
  }

  private func savedTitles(of name: String) throws -> [String] {
    let other = ModelContext(container)
    let trips = try other.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name }))
    return try #require(trips.first).bucketList.map(\.title).sorted()
  }

  @Test("An unsaved object that was deleted is inserted again with its children.")
  func unsaved() throws {
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "x")]
    context.insert(trip)
    context.delete(trip)
    context.insert(trip)
    #expect(trip.bucketList.first?.trip === trip)
    try context.save()
    #expect(try savedTitles(of: "A") == ["x"])
  }

  @Test("An object that was rolled back is inserted again with its parent.")
  func rolledBack() throws {
    let trip = Trip(name: "A")
    context.insert(trip)
    try context.save()
    let item = BucketListItem(title: "x")
    trip.bucketList.append(item)
    context.rollback()
    #expect(trip.bucketList.isEmpty)
    context.insert(item)
    #expect(trip.bucketList.map(\.title) == ["x"])
    try context.save()
    #expect(try savedTitles(of: "A") == ["x"])
  }

  @Test("An insertion that reverts a deletion leaves both sides consistent.")
  func deleting() throws {
    let trip = Trip(name: "A")
    let item = BucketListItem(title: "x")
    let tag = Tag(label: "t")
    trip.bucketList = [item]
    item.tags = [tag]
    context.insert(trip)
    try context.save()
    context.delete(item)
    #expect(trip.bucketList.isEmpty && tag.items.isEmpty)
    context.insert(item)
    #expect(trip.bucketList.first === item && item.trip === trip)
    #expect(tag.items.first === item)
    try context.save()
    #expect(try savedTitles(of: "A") == ["x"])
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Tag>()).first?.items.count == 1)
  }

  @Test("A deleted and saved object is inserted again with its links.")
  func deleted() throws {
    let item = BucketListItem(title: "x")
    let tag = Tag(label: "t")
    item.tags = [tag]
    context.insert(item)
    try context.save()
    context.delete(item)
    try context.save()
    context.insert(item)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<BucketListItem>()).first?.tags.count == 1)
    #expect(tag.items.count == 1)
  }

  @Test("A deleted object leaves the collections of others, whatever it had read.")
  func leavesCollections() throws {
    do {
      let item = BucketListItem(title: "x")
      item.tags = [Tag(label: "t")]
      context.insert(item)
      try context.save()
    }
    let other = ModelContext(container)
    let tag = try #require(try other.fetch(FetchDescriptor<Tag>()).first)
    #expect(tag.items.count == 1)
    let fresh = ModelContext(container)
    let freshTag = try #require(try fresh.fetch(FetchDescriptor<Tag>()).first)
    let held = freshTag.items
    fresh.delete(held[0])
    #expect(freshTag.items.isEmpty)
    try fresh.save()
    #expect(freshTag.items.isEmpty)
  }

  @Test("Undoing an upsert does not delete the existing object.")
  func undoneUpsert() throws {
    context.insert(Trip(name: "A", destination: "old"))
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    context.insert(Trip(name: "A", destination: "new"))
    try context.save()
    while manager.canUndo { manager.undo() }
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Trip>())
    #expect(found.map(\.destination) == ["old"])
  }
}
