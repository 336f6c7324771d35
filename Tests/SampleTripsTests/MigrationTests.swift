import Foundation
import SampleTrips
import SwiftData
import TestSupport
import Testing

@Suite("Migration of sample stores")
struct MigrationTests {
  private func context<Version: VersionedSchema>(
    _ version: Version.Type,
    _ file: URL
  ) throws -> ModelContext {
    let schema = Schema(versionedSchema: version)
    return ModelContext(
      try ModelContainer(
        for: schema,
        configurations: ModelConfiguration(schema: schema, url: file)
      )
    )
  }

  @Test(
    "A store of version 1 is migrated to the current version, and trips of one name are merged."
  )
  func fromFirst() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("trips.store")
    do {
      let context = try context(SampleTripsSchemaV1.self, file)
      for (index, name) in ["Norway", "Japan", "Norway"].enumerated() {
        let trip = SampleTripsSchemaV1.Trip(
          name: name,
          destination: "\(name) \(index)",
          start_date: Date(timeIntervalSince1970: Double(1000 - index)),
          end_date: Date(timeIntervalSince1970: 2000)
        )
        trip.bucketList = [SampleTripsSchemaV1.BucketListItem(title: "Item \(index)")]
        if index == 0 {
          trip.livingAccommodation = SampleTripsSchemaV1.LivingAccommodation(
            placeName: "Hotel",
            address: "Harbour Street 1"
          )
        }
        context.insert(trip)
      }
      try context.save()
    }
    let context = ModelContext(try SampleTrips.container(at: file))
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["Japan", "Norway"])
    let norway = try #require(trips.last)
    // The earlier one of the two is kept.
    #expect(norway.destination == "Norway 2")
    #expect(norway.startDate == Date(timeIntervalSince1970: 998))
    #expect(Set(norway.bucketList.map(\.title)) == ["Item 0", "Item 2"])
    #expect(norway.livingAccommodation?.placeName == "Hotel")
    #expect(norway.status == .idea && norway.tags.isEmpty && norway.reference == nil)
    #expect(norway.livingAccommodation?.rooms == 1)
    context.insert(
      PersonalTrip(
        name: "Korea",
        destination: "Busan",
        startDate: .now,
        endDate: .now,
        reason: .family
      )
    )
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 3)
  }

  @Test("One plan migrates two stores of a container, each with its own models.")
  func twoStores() throws {
    let folder = try TemporaryFolder()
    let (people, places) = (folder.file("people.store"), folder.file("places.store"))
    func container<Version: VersionedSchema>(_ version: Version.Type) throws -> ModelContainer {
      func schema(_ index: Int) -> Schema {
        Schema([Version.models[index]], version: Version.versionIdentifier)
      }
      return try ModelContainer(
        for: Schema(versionedSchema: version),
        migrationPlan: GuidePlan.self,
        configurations: [
          ModelConfiguration("people", schema: schema(0), url: people),
          ModelConfiguration("places", schema: schema(1), url: places),
        ]
      )
    }
    do {
      let context = ModelContext(try container(GuideV1.self))
      context.insert(GuideV1.Person(name: "Kim"))
      context.insert(GuideV1.Place(city: "Bergen"))
      try context.save()
    }
    let context = ModelContext(try container(GuideV2.self))
    let person = try #require(try context.fetch(FetchDescriptor<GuideV2.Person>()).first)
    let place = try #require(try context.fetch(FetchDescriptor<GuideV2.Place>()).first)
    #expect(person.name == "Kim" && person.email == nil)
    #expect(place.city == "Bergen" && place.country == nil)
    let operations = "SELECT group_concat(op) FROM history_transaction"
    #expect(try rows(operations, in: people) == ["recorded,migration"])
    #expect(try rows(operations, in: places) == ["recorded,migration"])
  }
}

private enum GuideV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Person.self, Place.self] }

  @Model final class Person {
    @Attribute(.unique) var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Place {
    var city: String
    init(city: String) { self.city = city }
  }
}

private enum GuideV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Person.self, Place.self] }

  @Model final class Person {
    @Attribute(.unique) var name: String
    var email: String?
    init(name: String) { self.name = name }
  }

  @Model final class Place {
    var city: String
    var country: String?
    init(city: String) { self.city = city }
  }
}

private enum GuidePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [GuideV1.self, GuideV2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: GuideV1.self, toVersion: GuideV2.self)]
  }
}
