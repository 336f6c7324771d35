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
}
