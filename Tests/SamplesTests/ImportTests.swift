import SwiftData
import TestSupport
import Testing

@Suite("Imports outside the main thread")
struct ImportTests {
  private static func records(_ count: Int) -> [TripRecord] {
    (0..<count).map { index in
      TripRecord(
        name: "Trip \(index)",
        destination: ["Oslo", "Bergen", "Kyoto", "Nairobi"][index % 4],
        startDate: day(1).addingTimeInterval(Double(index)),
        endDate: day(8).addingTimeInterval(Double(index))
      )
    }
  }

  @Test("An actor outside the main thread imports 100,000 trips.")
  func hundredThousand() async throws {
    try await withTemporaryFolder { folder in
      let container = try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(url: folder.appending(path: "trips.store"))
      )
      let importer = TripImporter(modelContainer: container)
      try await importer.importTrips(Self.records(100_000))
      #expect(try await importer.count() == 100_000)
      #expect(try await importer.count(destination: "Kyoto") == 25_000)

      let context = ModelContext(container)
      var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate, order: .reverse)])
      descriptor.fetchLimit = 1
      #expect(try context.fetch(descriptor).first?.name == "Trip 99999")

      var walked = 0
      try context.enumerate(FetchDescriptor<Trip>(), batchSize: 10_000) { _ in walked += 1 }
      #expect(walked == 100_000)
    }
  }

  @Test("An actor finds an object of another context by its identifier, and changes it.")
  func acrossContexts() async throws {
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let importer = TripImporter(modelContainer: container)
    try await importer.importTrips(Self.records(8), batchSize: 3)

    let context = ModelContext(container)
    let name = "Trip 5"
    let id = try #require(
      try context.fetchIdentifiers(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
      ).first
    )
    try await importer.rename(id, to: "Renamed")
    let other = ModelContext(container)
    #expect((other.model(for: id) as? Trip)?.name == "Renamed")

    try await importer.deleteTrips(to: "Oslo")
    #expect(try await importer.count() == 6)
    #expect(try await importer.count(destination: "Oslo") == 0)
  }

  @Test("Several actors import into one store at the same time.")
  func severalActors() async throws {
    try await withTemporaryFolder { folder in
      let container = try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(url: folder.appending(path: "trips.store"))
      )
      let records = Self.records(2_000)
      try await withThrowingTaskGroup { group in
        for part in 0..<4 {
          group.addTask {
            let importer = TripImporter(modelContainer: container)
            try await importer.importTrips(
              records[(part * 500)..<(part * 500 + 500)],
              batchSize: 100
            )
          }
        }
        try await group.waitForAll()
      }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 2_000)
    }
  }
}
