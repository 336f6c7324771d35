import SwiftData
import Testing

@Suite("Trips")
struct TripTests {
  private func makeContext() throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Trip.self, configurations: .init(isStoredInMemoryOnly: true))
    )
  }

  private func makeTrip(_ name: String, in context: ModelContext, start: Int = 1) -> Trip {
    let trip = Trip(
      name: name,
      destination: "Oslo",
      startDate: day(start),
      endDate: day(start + 7)
    )
    context.insert(trip)
    trip.bucketList = [
      BucketListItem(title: "Fjord", isInPlan: true), BucketListItem(title: "Opera"),
    ]
    trip.livingAccommodation = LivingAccommodation(address: "Harbour 1", placeName: "Grand")
    return trip
  }

  @Test("The schema of one model includes its related models.")
  func schema() throws {
    let container = try makeContext().container
    #expect(
      container.schema.entities.map(\.name).sorted() == [
        "BucketListItem", "LivingAccommodation", "Trip",
      ]
    )
  }

  @Test("Another context reads a saved object graph, inverses included.")
  func roundTrip() throws {
    let context = try makeContext()
    let trip = makeTrip("Winter", in: context)
    #expect(context.hasChanges && trip.hasChanges)
    try context.save()
    #expect(!context.hasChanges)

    let other = ModelContext(context.container)
    let read = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    #expect(read !== trip && read.persistentModelID == trip.persistentModelID)
    #expect(read.name == "Winter" && read.startDate == day(1) && read.days == 7)
    #expect(read.bucketList.map(\.title).sorted() == ["Fjord", "Opera"])
    #expect(read.bucketList.allSatisfy { $0.trip === read })
    #expect(read.livingAccommodation?.trip === read)
  }

  @Test("Deleting a trip deletes its parts and nothing else.")
  func cascade() throws {
    let context = try makeContext()
    let winter = makeTrip("Winter", in: context)
    _ = makeTrip("Summer", in: context, start: 10)
    try context.save()
    context.delete(winter)
    #expect(winter.isDeleted)
    try context.save()

    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<LivingAccommodation>()) == 1)
  }

  @Test("A trip with the same name and days updates the existing one.")
  func compoundUnique() throws {
    let context = try makeContext()
    let first = Trip(name: "Winter", destination: "Oslo", startDate: day(1), endDate: day(8))
    context.insert(first)
    try context.save()
    context.insert(Trip(name: "Winter", destination: "Bergen", startDate: day(1), endDate: day(8)))
    context.insert(Trip(name: "Winter", destination: "Tromsø", startDate: day(2), endDate: day(8)))
    try context.save()

    let read = try ModelContext(context.container)
      .fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)]))
    #expect(read.map(\.destination) == ["Bergen", "Tromsø"])
    #expect(read.first?.persistentModelID == first.persistentModelID)
  }

  @Test("Upcoming trips are found in order, up to the limit.")
  func upcoming() throws {
    let context = try makeContext()
    for (index, name) in ["a", "b", "c", "d"].enumerated() {
      context.insert(
        Trip(name: name, destination: "Oslo", startDate: day(index / 2 + 1), endDate: day(9))
      )
    }
    try context.save()
    #expect(try context.fetch(Trip.upcoming(after: day(1))).map(\.name) == ["b", "a", "d", "c"])
    #expect(
      try context.fetch(Trip.upcoming(after: day(1), limit: 3)).map(\.name) == ["b", "a", "d"]
    )
    #expect(try context.fetch(Trip.upcoming(after: day(2))).map(\.name) == ["d", "c"])
    #expect(try context.fetchCount(Trip.upcoming(after: day(3))) == 0)
  }

  @Test(
    "A search ignores case and accents.",
    arguments: [
      ("", 3), ("OSLO", 2), ("reykjavik", 1), ("winter", 1), ("Kyoto", 0),
    ]
  )
  func search(text: String, count: Int) throws {
    let context = try makeContext()
    context.insert(Trip(name: "Winter", destination: "Oslo", startDate: day(1)))
    context.insert(Trip(name: "Summer", destination: "oslo", startDate: day(2)))
    context.insert(Trip(name: "Autumn", destination: "Reykjavík", startDate: day(3)))
    #expect(try context.fetchCount(FetchDescriptor(predicate: Trip.search(text))) == count)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor(predicate: Trip.search(text))) == count)
  }

  @Test("A fetch filters by the identifier of a related object.")
  func byRelatedIdentity() throws {
    let context = try makeContext()
    let winter = makeTrip("Winter", in: context)
    _ = makeTrip("Summer", in: context, start: 10)
    try context.save()
    let id = try #require(winter.livingAccommodation?.persistentModelID)
    let found = try context.fetch(
      FetchDescriptor<Trip>(
        predicate: #Predicate { trip in trip.livingAccommodation?.persistentModelID == id }
      )
    )
    #expect(found.map(\.name) == ["Winter"])
  }
}
