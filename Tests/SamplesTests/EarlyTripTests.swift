import SwiftData
import TestSupport
import Testing

@Suite("The models of Apple's first talks")
struct EarlyTripTests {
  @Test("One context keeps trips and people in two files.")
  func twoFiles() async throws {
    try withTemporaryFolder { folder in
      do {
        let container = try EarlyTrips.makeContainer(in: folder)
        let context = ModelContext(container)
        context.insert(EarlyTrips.Trip(name: "Winter", destination: "Oslo", start_date: day(1)))
        let person = EarlyTrips.Person(name: "Ada")
        person.addresses = [EarlyTrips.Address(street: "Harbour 1", city: "Oslo")]
        context.insert(person)
        try context.save()
      }
      for name in ["trip.store", "people.store"] {
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: name).path))
      }

      let people = try ModelContainer(
        for: EarlyTrips.Person.self,
        configurations: ModelConfiguration(url: folder.appending(path: "people.store"))
      )
      let person = try #require(
        try ModelContext(people).fetch(FetchDescriptor<EarlyTrips.Person>()).first
      )
      #expect(person.name == "Ada" && person.addresses?.first?.city == "Oslo")

      let trips = try EarlyTrips.makeContainerOfTrips(at: folder.appending(path: "trip.store"))
      #expect(try TripFinder(context: ModelContext(trips)).all().map(\.name) == ["Winter"])
    }
  }

  @Test("Fetches with nested filters find saved and unsaved objects.")
  func filters() async throws {
    try withTemporaryFolder { folder in
      let context = ModelContext(try EarlyTrips.makeContainer(in: folder))
      let finder = TripFinder(context: context)
      let places = [
        [("First", true)], [("Fourth", false)], [("Second", false), ("Fifth", true)], [],
      ]
      for (index, names) in places.enumerated() {
        let trip = EarlyTrips.Trip(name: "\(index)")
        context.insert(trip)
        trip.livingAccommodations = names.map {
          EarlyTrips.LivingAccommodations(placeName: $0.0, hasReservation: $0.1)
        }
      }
      for _ in 0..<2 {
        let hotelNames = ["First", "Second", "Third"]
        #expect(try finder.staying(in: hotelNames).compactMap(\.name).sorted() == ["0", "2"])
        #expect(try finder.staying(in: []).isEmpty)
        #expect(try finder.withoutReservation().compactMap(\.name).sorted() == ["1", "2"])
        try context.save()
      }
    }
  }
}
