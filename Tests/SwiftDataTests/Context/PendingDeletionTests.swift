import Foundation
import SwiftData
import Testing

@Suite("Unsaved deletions")
struct PendingDeletionTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try tripContainer()
    context = ModelContext(container)
    let setup = ModelContext(container)
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "x"), BucketListItem(title: "y")]
    trip.livingAccommodation = LivingAccommodation(placeName: "Hotel")
    trip.bucketList[0].tags = [Tag(label: "t")]
    setup.insert(trip)
    try setup.save()
  }

  private func saved<T: PersistentModel>(_ type: T.Type) throws -> [T] {
    try ModelContext(container).fetch(FetchDescriptor<T>())
  }

  private func first<T: PersistentModel>(_ type: T.Type) throws -> T {
    try #require(try context.fetch(FetchDescriptor<T>()).first)
  }

  @Test("A relationship does not lead to objects that a batch deletes, in memory or not.")
  func batch() throws {
    let trip = try first(Trip.self)
    let tag = try first(Tag.self)
    try context.delete(model: BucketListItem.self, where: #Predicate { $0.title == "x" })
    try context.delete(model: LivingAccommodation.self)
    #expect(trip.bucketList.map(\.title) == ["y"])
    #expect(tag.items.isEmpty)
    #expect(trip.livingAccommodation == nil)
    tag.label = "u"
    trip.budget = 1
    for item in trip.bucketList { item.title = "z" }
    try context.save()
    #expect(try saved(BucketListItem.self).map(\.title) == ["z"])
    #expect(try saved(LivingAccommodation.self).isEmpty)
  }

  @Test("An object that a batch deletes is a deleted one if it is looked up by its identifier.")
  func met() throws {
    let identifier = try #require(try saved(Trip.self).first).persistentModelID
    try context.delete(model: Trip.self)
    let trip = try #require(context.model(for: identifier) as? Trip)
    #expect(trip.isDeleted)
    trip.destination = "Oslo"
    try context.save()
    #expect(trip.modelContext == nil)
    #expect(try saved(Trip.self).isEmpty)
  }

  @Test("Inserting an object again removes it from a batch deletion.")
  func takenOut() throws {
    let identifier = try #require(try saved(Trip.self).first).persistentModelID
    try context.delete(model: Trip.self)
    let trip = try #require(context.model(for: identifier) as? Trip)
    context.insert(trip)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    try context.save()
    #expect(try saved(Trip.self).map { $0.bucketList.count } == [2])
  }

  @Test("After a rollback, objects that were to be deleted are read again.")
  func rolledBack() throws {
    let trip = try first(Trip.self)
    let tag = try first(Tag.self)
    try context.delete(model: BucketListItem.self)
    try context.delete(model: LivingAccommodation.self)
    #expect(trip.bucketList.isEmpty && tag.items.isEmpty && trip.livingAccommodation == nil)
    context.rollback()
    #expect(trip.bucketList.map(\.title) == ["x", "y"])
    #expect(tag.items.map(\.title) == ["x"])
    #expect(trip.livingAccommodation?.placeName == "Hotel")
  }

  @Test("Prefetching does not restore objects that are to be deleted.")
  func prefetched() throws {
    let trip = try first(Trip.self)
    context.delete(try first(LivingAccommodation.self))
    try context.delete(model: BucketListItem.self, where: #Predicate { $0.title == "y" })
    var descriptor = FetchDescriptor<Trip>()
    descriptor.relationshipKeyPathsForPrefetching = [\.bucketList, \.livingAccommodation]
    _ = try context.fetch(descriptor)
    #expect(trip.bucketList.map(\.title) == ["x"])
    #expect(trip.livingAccommodation == nil)
  }
}
