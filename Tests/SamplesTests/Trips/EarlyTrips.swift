import Foundation
import SwiftData

/// The models from the first talks about SwiftData, as the first release required them.
enum EarlyTrips {
  @Model
  final class Trip {
    var destination: String?
    var end_date: Date?
    var name: String?
    var start_date: Date?

    @Relationship(.cascade)
    var bucketListItem: [BucketListItem] = [BucketListItem]()

    @Relationship(.cascade)
    var livingAccommodations: [LivingAccommodations] = []

    @Transient
    var tripViews: Int = 0

    init(name: String? = nil, destination: String? = nil, start_date: Date? = nil) {
      self.name = name
      self.destination = destination
      self.start_date = start_date
    }
  }

  @Model
  final class BucketListItem {
    var title: String
    var hasReservation: Bool

    init(title: String, hasReservation: Bool = false) {
      self.title = title
      self.hasReservation = hasReservation
    }
  }

  @Model
  final class LivingAccommodations {
    var placeName: String
    var hasReservation: Bool

    init(placeName: String, hasReservation: Bool = false) {
      self.placeName = placeName
      self.hasReservation = hasReservation
    }
  }

  @Model
  final class Person {
    @Attribute(.unique)
    var name: String
    @Relationship(.cascade)
    var addresses: [Address]? = []

    init(name: String) {
      self.name = name
    }
  }

  @Model
  final class Address {
    var street: String
    var city: String

    init(street: String, city: String) {
      self.street = street
      self.city = city
    }
  }
}

extension EarlyTrips {
  /// Creates one container with the trips in one file and the people in another.
  static func makeContainer(in folder: URL) throws -> ModelContainer {
    let fullSchema = Schema([
      Trip.self,
      BucketListItem.self,
      LivingAccommodations.self,
      Person.self,
      Address.self,
    ])

    let trips = ModelConfiguration(
      schema: Schema([
        Trip.self,
        BucketListItem.self,
        LivingAccommodations.self,
      ]),
      url: folder.appending(path: "trip.store"),
      cloudKitContainerIdentifier: "com.example.trips"
    )

    let people = ModelConfiguration(
      schema: Schema([Person.self, Address.self]),
      url: folder.appending(path: "people.store"),
      cloudKitContainerIdentifier: "com.example.people"
    )

    return try ModelContainer(for: fullSchema, trips, people)
  }

  static func makeContainerOfTrips(at url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: [
        Trip.self,
        BucketListItem.self,
        LivingAccommodations.self,
      ],
      configurations: ModelConfiguration(url: url)
    )
  }
}

/// The fetches and enumerations of a talk about large stores.
struct TripFinder {
  let context: ModelContext

  func all() throws -> [EarlyTrips.Trip] {
    try context.fetch(FetchDescriptor<EarlyTrips.Trip>())
  }

  func staying(in hotelNames: [String]) throws -> [EarlyTrips.Trip] {
    let predicate = #Predicate<EarlyTrips.Trip> { trip in
      trip.livingAccommodations.filter {
        hotelNames.contains($0.placeName)
      }.count > 0
    }
    let descriptor = FetchDescriptor(predicate: predicate)
    return try context.fetch(descriptor)
  }

  func withoutReservation() throws -> [EarlyTrips.Trip] {
    let predicate = #Predicate<EarlyTrips.Trip> { trip in
      trip.livingAccommodations.filter {
        $0.hasReservation == false
      }.count > 0
    }
    return try context.fetch(FetchDescriptor(predicate: predicate))
  }

  func remind(batchSize: Int = 5000, _ remind: (EarlyTrips.Trip) -> Void) throws {
    let predicate = #Predicate<EarlyTrips.Trip> { trip in
      trip.bucketListItem.filter {
        $0.hasReservation == false
      }.count > 0
    }
    var descriptor = FetchDescriptor(predicate: predicate)
    descriptor.sortBy = [SortDescriptor(\.start_date)]
    try context.enumerate(descriptor, batchSize: batchSize) { trip in
      remind(trip)
    }
  }

  func reserveEverything() throws {
    try context.enumerate(
      FetchDescriptor<EarlyTrips.BucketListItem>(),
      batchSize: 500,
      allowEscapingMutations: true
    ) { item in
      item.hasReservation = true
    }
    try context.save()
  }
}
