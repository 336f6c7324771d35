import Foundation
import SwiftData
import Testing

@Suite("Children that leave a deleted object in the same save")
struct MovedChildrenTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try tripContainer()
    context = ModelContext(container)
  }

  private func saved<T: PersistentModel>(_ type: T.Type) throws -> [T] {
    try ModelContext(container).fetch(FetchDescriptor<T>())
  }

  @Test("A child with another parent, or none, is not deleted with its earlier parent.")
  func moved() throws {
    let first = Trip(name: "A")
    let second = Trip(name: "B")
    let moved = BucketListItem(title: "moved")
    let freed = BucketListItem(title: "freed")
    first.bucketList = [moved, freed, BucketListItem(title: "left")]
    context.insert(first)
    context.insert(second)
    try context.save()
    moved.trip = second
    freed.trip = nil
    context.delete(first)
    try context.save()
    #expect(try saved(BucketListItem.self).map(\.title).sorted() == ["freed", "moved"])
    #expect(try saved(Trip.self).map { $0.bucketList.map(\.title) } == [["moved"]])
  }

  @Test("A child that is inserted again is kept when its parent is deleted.")
  func insertedAgain() throws {
    let trip = Trip(name: "A")
    let item = BucketListItem(title: "x")
    trip.bucketList = [item, BucketListItem(title: "y")]
    context.insert(trip)
    try context.save()
    context.delete(trip)
    context.insert(item)
    try context.save()
    #expect(try saved(BucketListItem.self).map(\.title) == ["x"])
    #expect(try saved(Trip.self).isEmpty)
    #expect(item.trip == nil)
  }

  @Test("A changed object that a rule deletes in the store is gone after the save.")
  func changedAndCascaded() throws {
    let setup = ModelContext(container)
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "x")]
    setup.insert(trip)
    setup.insert(Tag(label: "t"))
    try setup.save()
    let item = try #require(try context.fetch(FetchDescriptor<BucketListItem>()).first)
    let tag = try #require(try context.fetch(FetchDescriptor<Tag>()).first)
    try context.delete(model: Trip.self)
    item.title = "y"
    item.tags = [tag]
    try context.save()
    #expect(try saved(BucketListItem.self).isEmpty)
    #expect(try saved(Tag.self).map { $0.items.count } == [0])
    #expect(item.modelContext == nil)
    tag.label = "u"
    try context.save()
  }
}
