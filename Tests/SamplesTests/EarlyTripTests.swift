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

  @Test("Deleting cascades with the spelling of the first release.")
  func cascade() async throws {
    try withTemporaryFolder { folder in
      let context = ModelContext(try EarlyTrips.makeContainer(in: folder))
      let trip = EarlyTrips.Trip(name: "Winter")
      context.insert(trip)
      trip.bucketListItem.append(EarlyTrips.BucketListItem(title: "Fjord"))
      trip.livingAccommodations = [EarlyTrips.LivingAccommodations(placeName: "Grand")]
      let person = EarlyTrips.Person(name: "Ada")
      context.insert(person)
      person.addresses?.append(EarlyTrips.Address(street: "Harbour 1", city: "Oslo"))
      try context.save()

      context.delete(trip)
      context.delete(person)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<EarlyTrips.BucketListItem>()) == 0)
      #expect(try context.fetchCount(FetchDescriptor<EarlyTrips.LivingAccommodations>()) == 0)
      #expect(try context.fetchCount(FetchDescriptor<EarlyTrips.Address>()) == 0)
    }
  }

  @Test("A transient property is not saved.")
  func transient() async throws {
    try withTemporaryFolder { folder in
      let context = ModelContext(try EarlyTrips.makeContainer(in: folder))
      let trip = EarlyTrips.Trip(name: "Winter")
      trip.tripViews = 7
      context.insert(trip)
      try context.save()
      #expect(trip.tripViews == 7)
      let read = try TripFinder(context: ModelContext(context.container)).all().first
      #expect(read?.name == "Winter" && read?.tripViews == 0)
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

  @Test(
    "Enumeration visits the matching objects in order, for any batch size.",
    arguments: [1, 3, 500, 5_000]
  )
  func enumerate(batchSize: Int) async throws {
    try withTemporaryFolder { folder in
      let container = try EarlyTrips.makeContainer(in: folder)
      let context = ModelContext(container)
      for index in 0..<100 {
        let trip = EarlyTrips.Trip(name: "\(index)", start_date: day(100 - index))
        context.insert(trip)
        trip.bucketListItem = [
          EarlyTrips.BucketListItem(title: "x", hasReservation: index.isMultiple(of: 2))
        ]
      }
      try context.save()

      let finder = TripFinder(context: ModelContext(container))
      var names: [String] = []
      try finder.remind(batchSize: batchSize) { names.append($0.name ?? "") }
      #expect(names == stride(from: 99, to: 0, by: -2).map { "\($0)" })

      try finder.reserveEverything()
      names = []
      try finder.remind { names.append($0.name ?? "") }
      #expect(names.isEmpty)
    }
  }

  @Test("An enumeration that leaves changes throws unless that is allowed.")
  func guardedWalk() async throws {
    try withTemporaryFolder { folder in
      let container = try EarlyTrips.makeContainer(in: folder)
      let context = ModelContext(container)
      for index in 0..<10 { context.insert(EarlyTrips.Trip(name: "\(index)")) }
      try context.save()
      let other = ModelContext(container)
      #expect(throws: (any Error).self) {
        try other.enumerate(FetchDescriptor<EarlyTrips.Trip>(), batchSize: 2) { $0.name = "x" }
      }
    }
  }
}
