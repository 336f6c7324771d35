import SwiftData
import TestSupport
import Testing

@Suite("A custom store in one JSON file")
struct JSONFileStoreTests {
  private func makeContainer(_ folder: URL) throws -> ModelContainer {
    let configuration = JSONFileStoreConfiguration(
      name: "trips",
      schema: Schema([Trip.self, BucketListItem.self, LivingAccommodation.self]),
      fileURL: folder.appending(path: "trips.json")
    )
    return try ModelContainer(for: Trip.self, configurations: configuration)
  }

  private func makeTrip(_ name: String, _ destination: String, start: Int) -> Trip {
    Trip(name: name, destination: destination, startDate: day(start), endDate: day(start + 7))
  }

  @Test("Objects are saved, changed and deleted, and another container reads the result.")
  func lifeOfObjects() async throws {
    try withTemporaryFolder { folder in
      do {
        let context = ModelContext(try makeContainer(folder))
        let winter = makeTrip("Winter", "Oslo", start: 1)
        let summer = makeTrip("Summer", "Bergen", start: 2)
        let autumn = makeTrip("Autumn", "Kyoto", start: 3)
        for trip in [winter, summer, autumn] { context.insert(trip) }
        try context.save()
        #expect(winter.persistentModelID.storeIdentifier == "trips.json")
        winter.destination = "Tromsø"
        context.delete(summer)
        try context.save()
      }
      let context = ModelContext(try makeContainer(folder))
      let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)]))
      #expect(trips.map(\.name) == ["Winter", "Autumn"])
      #expect(trips.map(\.destination) == ["Tromsø", "Kyoto"])
      #expect(trips.map(\.startDate) == [day(1), day(3)])
    }
  }

  @Test("Relationships lead to the same objects after reopening.")
  func relationships() async throws {
    try withTemporaryFolder { folder in
      do {
        let context = ModelContext(try makeContainer(folder))
        let trip = makeTrip("Winter", "Oslo", start: 1)
        context.insert(trip)
        trip.bucketList = [BucketListItem(title: "Fjord"), BucketListItem(title: "Opera")]
        trip.livingAccommodation = LivingAccommodation(address: "Harbour 1", placeName: "Grand")
        try context.save()
      }
      let context = ModelContext(try makeContainer(folder))
      let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      #expect(trip.bucketList.map(\.title).sorted() == ["Fjord", "Opera"])
      #expect(trip.bucketList.allSatisfy { $0.trip === trip })
      #expect(trip.livingAccommodation?.placeName == "Grand")
      context.delete(trip)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    }
  }

  @Test("Filters and orders that the store does not support are applied in memory.")
  func filtering() async throws {
    try withTemporaryFolder { folder in
      let container = try makeContainer(folder)
      let context = ModelContext(container)
      for (index, city) in ["Oslo", "Bergen", "Oslo", "Kyoto"].enumerated() {
        context.insert(makeTrip("\(index)", city, start: index + 1))
      }
      try context.save()
      let other = ModelContext(container)
      var descriptor = FetchDescriptor<Trip>(
        predicate: #Predicate { $0.destination == "Oslo" },
        sortBy: [SortDescriptor(\.startDate, order: .reverse)]
      )
      #expect(try other.fetch(descriptor).map(\.name) == ["2", "0"])
      #expect(try other.fetchCount(descriptor) == 2)
      descriptor.fetchLimit = 1
      descriptor.fetchOffset = 1
      #expect(try other.fetch(descriptor).map(\.name) == ["0"])
    }
  }

  @Test("A custom store's file is JSON with the names of the properties.")
  func file() async throws {
    try withTemporaryFolder { folder in
      let context = ModelContext(try makeContainer(folder))
      context.insert(makeTrip("Winter", "Oslo", start: 1))
      try context.save()
      let data = try Data(contentsOf: folder.appending(path: "trips.json"))
      let objects = try #require(
        try JSONSerialization.jsonObject(with: data) as? [[String: Any]]
      )
      #expect(objects.count == 1)
      #expect(objects.first?["name"] as? String == "Winter")
      #expect(objects.first?["destination"] as? String == "Oslo")
    }
  }

  @Test("A file that is not such a store is an error, and is not changed.")
  func damaged() async throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "trips.json")
      try Data("{}".utf8).write(to: url)
      let context = ModelContext(try makeContainer(folder))
      #expect(throws: (any Error).self) { try context.fetch(FetchDescriptor<Trip>()) }
      context.insert(makeTrip("Winter", "Oslo", start: 1))
      #expect(throws: (any Error).self) { try context.save() }
      #expect(context.hasChanges)
      #expect(try Data(contentsOf: url) == Data("{}".utf8))
    }
  }
}
