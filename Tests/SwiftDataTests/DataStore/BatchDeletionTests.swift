import Foundation
import SwiftData
import Testing

@Suite("Deleting many objects")
struct BatchDeletionTests {
  private func readings(_ kind: StoreKind) throws -> StorePlace {
    let place = try StorePlace(kind)
    let context = try place.context(Reading.self)
    for value in 0..<10 { context.insert(Reading(value)) }
    try context.save()
    return place
  }

  @Test(
    "A batch deletion deletes all objects at the next save, and hides them before.",
    arguments: StoreKind.allCases
  )
  func all(_ kind: StoreKind) throws {
    let place = try readings(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context(Reading.self)
    try context.delete(model: Reading.self)
    #expect(context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Reading>()) == 0)
    #expect(try place.context(Reading.self).fetchCount(FetchDescriptor<Reading>()) == 10)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Reading>()) == 10)
    try context.delete(model: Reading.self)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try place.context(Reading.self).fetchCount(FetchDescriptor<Reading>()) == 0)
  }

  @Test("A predicate selects the objects of a batch deletion.", arguments: StoreKind.allCases)
  func some(_ kind: StoreKind) throws {
    let place = try readings(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context(Reading.self)
    try context.delete(model: Reading.self, where: #Predicate { $0.value < 7 })
    #expect(try context.fetchCount(FetchDescriptor<Reading>()) == 3)
    try context.save()
    let left = try place.context(Reading.self).fetch(FetchDescriptor<Reading>())
    #expect(left.map(\.value).sorted() == [7, 8, 9])
  }

  @Test("A batch deletion deletes objects in memory too.", arguments: StoreKind.allCases)
  func registered(_ kind: StoreKind) throws {
    let place = try readings(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context(Reading.self)
    let held = try context.fetch(FetchDescriptor<Reading>())
    try context.delete(model: Reading.self, where: #Predicate { $0.value < 5 })
    try context.save()
    #expect(held.filter { $0.modelContext == nil }.count == 5)
    #expect(try context.fetchCount(FetchDescriptor<Reading>()) == 5)
  }

  @Test("A store that supports batch deletion performs it.")
  func batching() throws {
    let place = try readings(.dictionary)
    let context = try place.context(Reading.self)
    try context.delete(model: Reading.self)
    try context.save()
    #expect(place.shelf.batches == 1 && place.shelf.records.isEmpty)
  }

  @Test("A batch deletion applies delete rules to related objects.", arguments: StoreKind.allCases)
  func related(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context()
    for name in ["A", "B"] {
      let trip = Trip(name: name)
      trip.bucketList = [BucketListItem(title: name)]
      context.insert(trip)
    }
    try context.save()
    let fresh = try place.context()
    try fresh.delete(model: Trip.self, where: #Predicate { $0.name == "A" })
    try fresh.save()
    #expect(try place.context().fetch(FetchDescriptor<BucketListItem>()).map(\.title) == ["B"])
    #expect(place.shelf.batches == 0)
  }
}
