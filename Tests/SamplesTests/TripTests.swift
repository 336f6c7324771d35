import SwiftData
import Testing

@Suite("Trips")
struct TripTests {
  @Test("Another context reads a saved object graph, inverses included.")
  func roundTrip() throws {
    let context = ModelContext(
      try ModelContainer(for: Trip.self, configurations: .init(isStoredInMemoryOnly: true))
    )
    let trip = Trip(name: "Winter", destination: "Oslo", startDate: day(1), endDate: day(8))
    context.insert(trip)
    trip.bucketList = [
      BucketListItem(title: "Fjord", isInPlan: true), BucketListItem(title: "Opera"),
    ]
    trip.livingAccommodation = LivingAccommodation(address: "Harbour 1", placeName: "Grand")
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
}
