import SwiftData
import TestSupport
import Testing

@Suite("Three versions of the trips")
struct MigrationTests {
  private func writeFirstVersion(_ url: URL) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: SampleTripsSchemaV1.self),
      configurations: ModelConfiguration(url: url)
    )
    let context = ModelContext(container)
    for (index, name) in ["Winter", "Summer", "Winter"].enumerated() {
      let trip = SampleTripsSchemaV1.Trip(
        name: name,
        destination: "Place \(index)",
        start_date: day(index + 1),
        end_date: day(index + 8)
      )
      context.insert(trip)
      trip.bucketList = [SampleTripsSchemaV1.BucketListItem(title: "Item \(index)")]
      trip.livingAccommodation = SampleTripsSchemaV1.LivingAccommodation(
        placeName: "Hotel \(index)"
      )
    }
    try context.save()
  }

  @Test("The plan migrates version 1 to version 3: it merges duplicates and renames dates.")
  func firstToThird() async throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "trips.store")
      try writeFirstVersion(url)
      let container = try ModelContainer(
        for: SampleTripsSchemaV3.Trip.self,
        migrationPlan: SampleTripsMigrationPlan.self,
        configurations: ModelConfiguration(url: url)
      )
      let context = ModelContext(container)
      let trips = try context.fetch(
        FetchDescriptor<SampleTripsSchemaV3.Trip>(sortBy: [SortDescriptor(\.startDate)])
      )
      #expect(trips.map(\.name) == ["Winter", "Summer"])
      #expect(trips.map(\.destination) == ["Place 0", "Place 1"])
      #expect(trips.map(\.startDate) == [day(1), day(2)])
      #expect(trips.map(\.endDate) == [day(8), day(9)])
      #expect(trips.map { $0.bucketList?.map(\.title) } == [["Item 0"], ["Item 1"]])
      #expect(trips.flatMap { $0.bucketList ?? [] }.allSatisfy { !$0.isDone })
      #expect(trips.map { $0.livingAccommodation?.placeName } == ["Hotel 0", "Hotel 1"])

      context.insert(
        SampleTripsSchemaV3.Trip(
          name: "Winter",
          destination: "Elsewhere",
          startDate: day(20),
          endDate: day(21)
        )
      )
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<SampleTripsSchemaV3.Trip>()) == 2)
    }
  }

  @Test("A migrated store opens again, with the plan and without.")
  func again() async throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "trips.store")
      try writeFirstVersion(url)
      for plan in [SampleTripsMigrationPlan.self, nil, SampleTripsMigrationPlan.self]
        as [(any SchemaMigrationPlan.Type)?]
      {
        let container = try ModelContainer(
          for: Schema(versionedSchema: SampleTripsSchemaV3.self),
          migrationPlan: plan,
          configurations: ModelConfiguration(url: url)
        )
        let count = try ModelContext(container)
          .fetchCount(FetchDescriptor<SampleTripsSchemaV3.Trip>())
        #expect(count == 2)
      }
    }
  }

  @Test("Without a plan, a name that becomes unique is refused if two objects have it.")
  func refused() async throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "trips.store")
      try writeFirstVersion(url)
      #expect(throws: SwiftDataError.self) {
        try ModelContainer(
          for: Schema(versionedSchema: SampleTripsSchemaV2.self),
          configurations: ModelConfiguration(url: url)
        )
      }
      let container = try ModelContainer(
        for: Schema(versionedSchema: SampleTripsSchemaV1.self),
        configurations: ModelConfiguration(url: url)
      )
      let count = try ModelContext(container).fetchCount(
        FetchDescriptor<SampleTripsSchemaV1.Trip>()
      )
      #expect(count == 3)
    }
  }

  @Test("An earlier version does not open a later store.")
  func backwards() async throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "trips.store")
      try writeFirstVersion(url)
      _ = try ModelContainer(
        for: SampleTripsSchemaV3.Trip.self,
        migrationPlan: SampleTripsMigrationPlan.self,
        configurations: ModelConfiguration(url: url)
      )
      #expect(throws: SwiftDataError.self) {
        try ModelContainer(
          for: Schema(versionedSchema: SampleTripsSchemaV1.self),
          migrationPlan: SampleTripsMigrationPlan.self,
          configurations: ModelConfiguration(url: url)
        )
      }
    }
  }
}
