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
    let models = Version.models.filter { "\($0)" != "Person" && "\($0)" != "Address" }
    let schema = Schema(models, version: Version.versionIdentifier)
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

  @Test("Stores of version 2, of trips and of people, are migrated to the current version.")
  func fromSecond() throws {
    let folder = try TemporaryFolder()
    let (file, people) = (folder.file("trips.store"), folder.file("people.store"))
    do {
      let version = SampleTripsSchemaV2.versionIdentifier
      let trips = Schema(
        [
          SampleTripsSchemaV2.Trip.self, SampleTripsSchemaV2.BucketListItem.self,
          SampleTripsSchemaV2.LivingAccommodation.self,
        ],
        version: version
      )
      let contacts = Schema(
        [SampleTripsSchemaV2.Person.self, SampleTripsSchemaV2.Address.self],
        version: version
      )
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: SampleTripsSchemaV2.self),
          ModelConfiguration("trips", schema: trips, url: file),
          ModelConfiguration("people", schema: contacts, url: people)
        )
      )
      context.insert(
        SampleTripsSchemaV2.Trip(
          name: "Norway",
          destination: "Bergen",
          start_date: Date(timeIntervalSince1970: 1),
          end_date: Date(timeIntervalSince1970: 2)
        )
      )
      let person = SampleTripsSchemaV2.Person(name: "Kim")
      person.addresses = [SampleTripsSchemaV2.Address(street: "Mill Way 1", city: "Bergen")]
      context.insert(person)
      try context.save()
    }
    let context = ModelContext(try SampleTrips.container(at: file, people: people))
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    #expect(trip.name == "Norway" && trip.endDate == Date(timeIntervalSince1970: 2))
    let person = try #require(try context.fetch(FetchDescriptor<Person>()).first)
    #expect(person.addresses.map(\.city) == ["Bergen"] && person.email == nil)
    let operations = "SELECT group_concat(op) FROM history_transaction"
    #expect(try rows(operations, in: file) == ["recorded,migration"])
    #expect(try rows(operations, in: people) == ["recorded,migration"])
  }
}
