import SwiftData
import TestSupport
import Testing

@Suite("Reading history: badges for the widget's changes")
struct UnreadTripsTests {
  private func withTrips(
    _ body: (ModelContainer, UnreadTrips, URL) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let configuration = ModelConfiguration(url: folder.appending(path: "trips.store"))
      let container = try ModelContainer(for: Trip.self, configurations: configuration)
      let context = ModelContext(container)
      context.author = TransactionAuthor.app
      for name in ["Winter", "Summer"] {
        let trip = Trip(name: name, destination: "Oslo", startDate: day(1), endDate: day(2))
        trip.livingAccommodation = LivingAccommodation(address: "1", placeName: "Grand \(name)")
        context.insert(trip)
      }
      try context.save()
      let suite = "samples-\(UUID().uuidString)"
      let settings = try #require(UserDefaults(suiteName: suite))
      defer { UserDefaults().removePersistentDomain(forName: suite) }
      try await body(container, UnreadTrips(modelContainer: container, settings: settings), folder)
    }
  }

  private func names(
    _ identifiers: [PersistentIdentifier],
    _ container: ModelContainer
  ) -> [String] {
    let context = ModelContext(container)
    return identifiers.compactMap { (context.model(for: $0) as? Trip)?.name }
  }

  @Test("A trip gets a badge once when the widget confirms its accommodation.")
  func badge() async throws {
    try await withTrips { container, unread, _ in
      #expect(try await unread.findUnreadTripIdentifiers().isEmpty)
      try AccommodationWidget(modelContainer: container).confirm("Summer")
      let found = try await unread.findUnreadTripIdentifiers()
      #expect(names(found, container) == ["Summer"])
      #expect(try await unread.findUnreadTripIdentifiers().isEmpty)
      await unread.remember(found)
      #expect(await unread.remembered == found)
      let app = ModelContext(container)
      app.author = TransactionAuthor.app
      try app.fetch(FetchDescriptor<Trip>()).first?.livingAccommodation?.placeName = "Other"
      try app.save()
      #expect(try await unread.findUnreadTripIdentifiers().isEmpty)
      try AccommodationWidget(modelContainer: container).confirm("Winter")
      #expect(names(try await unread.findUnreadTripIdentifiers(), container) == ["Winter"])
    }
  }

  @Test("Deleted trips are listed by the values of their tombstones.")
  func archive() async throws {
    try await withTrips { container, _, _ in
      let context = ModelContext(container)
      let before = Date.now
      let trips = try context.fetch(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Winter" })
      )
      context.delete(try #require(trips.first))
      try context.save()
      let found = try deletedTrips(context, since: before)
      #expect(found.map(\.name) == ["Winter"])
      #expect(found.map(\.startDate) == [day(1)] && found.map(\.endDate) == [day(2)])
      #expect(try deletedTrips(context, since: .now).isEmpty)
    }
  }
}
