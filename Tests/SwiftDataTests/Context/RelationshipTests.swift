import Foundation
import SwiftData
import Testing

@Suite("Relationships")
struct RelationshipTests {
  @Test("Both sides of a relationship are kept consistent in memory.")
  func inverses() throws {
    let context = ModelContext(try tripContainer())
    let trip = Trip(name: "Fjord")
    context.insert(trip)
    let item = BucketListItem(title: "Swim")
    trip.bucketList.append(item)
    #expect(item.trip === trip)
    #expect(item.modelContext === context)
    let other = Trip(name: "Other")
    context.insert(other)
    item.trip = other
    #expect(trip.bucketList.isEmpty)
    #expect(other.bucketList.map(\.title) == ["Swim"])
    other.bucketList.removeAll()
    #expect(item.trip == nil)
  }

  @Test("A parent that an initializer sets has its child after the insertion.")
  func initialValues() throws {
    let context = ModelContext(try tripContainer())
    let trip = Trip(name: "Fjord")
    context.insert(trip)
    let item = BucketListItem(title: "Swim", trip: trip)
    context.insert(item)
    #expect(trip.bucketList.map(\.title) == ["Swim"])
  }

  @Test("Relationships are read from the store when they are accessed.")
  func faulting() throws {
    let container = try tripContainer()
    do {
      let context = ModelContext(container)
      let trip = Trip(name: "Fjord")
      trip.bucketList = [BucketListItem(title: "A"), BucketListItem(title: "B")]
      trip.livingAccommodation = LivingAccommodation(placeName: "Hotel")
      let tag = Tag(label: "water")
      trip.bucketList[0].tags = [tag]
      context.insert(trip)
      try context.save()
    }
    let context = ModelContext(container)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    #expect(trip.bucketList.map(\.title) == ["A", "B"])
    #expect(trip.bucketList.allSatisfy { $0.trip === trip })
    #expect(trip.livingAccommodation?.placeName == "Hotel")
    #expect(trip.livingAccommodation?.trip === trip)
    #expect(trip.bucketList[0].tags.map(\.label) == ["water"])
    #expect(trip.bucketList[0].tags[0].items.map(\.title) == ["A"])
    let item = try #require(
      try ModelContext(container).fetch(
        FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.title)])
      ).last
    )
    #expect(item.trip?.name == "Fjord")
  }

  @Test("Deleting a trip deletes its bucket list and its accommodation.")
  func cascade() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Fjord")
    trip.bucketList = [BucketListItem(title: "A"), BucketListItem(title: "B")]
    trip.livingAccommodation = LivingAccommodation(placeName: "Hotel")
    context.insert(trip)
    try context.save()
    context.delete(trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<LivingAccommodation>()) == 0)
  }

  @Test("Objects are released if the application does not retain them, whatever was read.")
  func release() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    weak var trip: Trip?
    weak var item: BucketListItem?
    do {
      let made = Trip(name: "Fjord")
      made.bucketList = [BucketListItem(title: "A")]
      made.livingAccommodation = LivingAccommodation(placeName: "Hotel")
      context.insert(made)
      try context.save()
      trip = made
      item = made.bucketList[0]
      _ = made.livingAccommodation?.trip
      _ = made.bucketList[0].trip
    }
    #expect(trip == nil)
    #expect(item == nil)
    do {
      let found = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      trip = found
      item = found.bucketList[0]
      #expect(found.livingAccommodation?.trip === found)
      #expect(found.bucketList[0].trip === found)
    }
    #expect(trip == nil)
    #expect(item == nil)
  }

  @Test("An object that was linked while it was new is found again after its release.")
  func linkedWhileNew() throws {
    let context = ModelContext(try tripContainer())
    let trip = Trip(name: "Fjord")
    context.insert(trip)
    try context.save()
    do {
      let hotel = LivingAccommodation(placeName: "Hotel")
      hotel.trip = trip
      context.insert(hotel)
      try context.save()
    }
    #expect(trip.livingAccommodation?.placeName == "Hotel")
    #expect(trip.livingAccommodation?.trip === trip)
  }

  @Test("A predicate that unwraps nil fails with a typed error.")
  func failingPredicate() throws {
    let context = ModelContext(try tripContainer())
    context.insert(Trip(name: "Fjord"))
    try context.save()
    let limit = Date(timeIntervalSince1970: 0)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      _ = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.endDate! > limit }))
    }
  }
}
