import SwiftData

/// The models of today; between them their attributes have every type that a model may have.
package enum SampleTripsSchemaV3: VersionedSchema {
  package static let versionIdentifier = Schema.Version(3, 0, 0)

  package static var trips: [any PersistentModel.Type] {
    [
      Trip.self, PersonalTrip.self, BusinessTrip.self, BucketListItem.self,
      LivingAccommodation.self, Tag.self,
    ]
  }

  package static var people: [any PersistentModel.Type] { [Person.self, Address.self] }

  package static var models: [any PersistentModel.Type] { trips + people }
}

/// A trip; see ``SampleTripsSchemaV3/Trip``.
package typealias Trip = SampleTripsSchemaV3.Trip
/// A trip for its own sake.
package typealias PersonalTrip = SampleTripsSchemaV3.PersonalTrip
/// A trip for work.
package typealias BusinessTrip = SampleTripsSchemaV3.BusinessTrip
/// Something to do on a trip.
package typealias BucketListItem = SampleTripsSchemaV3.BucketListItem
/// A place to stay on a trip.
package typealias LivingAccommodation = SampleTripsSchemaV3.LivingAccommodation
/// A word for trips of a kind.
package typealias Tag = SampleTripsSchemaV3.Tag
/// Somebody one travels with.
package typealias Person = SampleTripsSchemaV3.Person
/// Where somebody lives.
package typealias Address = SampleTripsSchemaV3.Address
