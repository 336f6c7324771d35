import SwiftData

/// The models of the release that made names unique.
package enum SampleTripsSchemaV2: VersionedSchema {
  package static let versionIdentifier = Schema.Version(2, 0, 0)

  package static var models: [any PersistentModel.Type] {
    [Trip.self, BucketListItem.self, LivingAccommodation.self]
  }

  @Model
  package final class Trip {
    @Attribute(.unique) package var name: String
    package var destination: String
    package var start_date: Date
    package var end_date: Date

    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
    package var bucketList: [BucketListItem] = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    package var livingAccommodation: LivingAccommodation?

    package init(name: String, destination: String, start_date: Date, end_date: Date) {
      self.name = name
      self.destination = destination
      self.start_date = start_date
      self.end_date = end_date
    }
  }

  @Model
  package final class BucketListItem {
    package var title: String
    package var details: String
    package var hasReservation: Bool
    package var isInPlan: Bool
    package var trip: Trip?

    package init(title: String, details: String = "") {
      self.title = title
      self.details = details
      hasReservation = false
      isInPlan = false
    }
  }

  @Model
  package final class LivingAccommodation {
    package var placeName: String
    package var address: String
    package var isConfirmed: Bool
    package var trip: Trip?

    package init(placeName: String, address: String, isConfirmed: Bool = false) {
      self.placeName = placeName
      self.address = address
      self.isConfirmed = isConfirmed
    }
  }
}
