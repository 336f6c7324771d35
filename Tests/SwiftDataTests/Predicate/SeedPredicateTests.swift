import Foundation
import Testing

import func Changes.quoted

@testable import SwiftData

/// The predicates of Apple's talks.
@Suite("The predicates of SampleTrips")
struct SeedPredicateTests {
  @Model final class Voyage {
    var name: String
    var start_date: Date
    @Relationship(deleteRule: .cascade, inverse: \Wish.trip) var bucketListItem: [Wish] = []
    @Relationship(deleteRule: .cascade) var livingAccommodations: [Lodging] = []
    var livingAccommodation: Lodging?
    init(name: String) {
      self.name = name
      start_date = .now
    }
  }

  @Model final class Wish {
    var title: String
    var hasReservation = false
    var trip: Voyage?
    init(title: String) { self.title = title }
  }

  @Model final class Lodging {
    var placeName: String
    var hasReservation = false
    init(placeName: String) { self.placeName = placeName }
  }

  @Test("The predicates of SampleTrips run as SQL, before and after saving.")
  func predicates() throws {
    let container = try ModelContainer(
      for: Voyage.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let trips = ["Oslo", "Rome", "Ulm"].map { Voyage(name: $0) }
    for trip in trips { context.insert(trip) }
    let hotel = Lodging(placeName: "First")
    trips[0].livingAccommodations = [hotel, Lodging(placeName: "Else")]
    let tent = Lodging(placeName: "Tent")
    tent.hasReservation = true
    trips[1].livingAccommodations = [tent]
    trips[1].livingAccommodation = hotel
    trips[2].bucketListItem = [Wish(title: "walk")]
    let hotelNames = ["First", "Second", "Third"]
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      func names(_ predicate: Predicate<Voyage>) throws -> [String] {
        let entity = try #require(container.map.entity(of: Voyage.self))
        _ = try PredicateTranslation.translate(
          predicate,
          entity: entity,
          map: container.map,
          sources: SQLSources(table: quoted, storeIdentifier: "")
        )
        return try context.fetch(
          FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.start_date)])
        ).map(\.name)
      }
      let modelID = hotel.persistentModelID
      #expect(
        try names(#Predicate { trip in trip.livingAccommodation?.persistentModelID == modelID })
          == ["Rome"]
      )
      #expect(
        try names(
          #Predicate<Voyage> { trip in
            trip.livingAccommodations.filter { hotelNames.contains($0.placeName) }.count > 0
          }
        ) == ["Oslo"]
      )
      #expect(
        try names(
          #Predicate<Voyage> { trip in
            trip.livingAccommodations.filter { $0.hasReservation == false }.count > 0
          }
        ) == ["Oslo"]
      )
      #expect(
        try names(
          #Predicate<Voyage> { trip in
            trip.bucketListItem.filter { $0.hasReservation == false }.count > 0
          }
        ) == ["Ulm"]
      )
    }
  }
}
