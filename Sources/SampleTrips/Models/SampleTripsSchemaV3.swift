import SwiftData

/// The present models, whose attributes together have all types that a model can have.
package enum SampleTripsSchemaV3: VersionedSchema {
  package static let versionIdentifier = Schema.Version(3, 0, 0)

  package static var models: [any PersistentModel.Type] {
    [
      Trip.self, PersonalTrip.self, BusinessTrip.self, BucketListItem.self,
      LivingAccommodation.self, Tag.self,
    ]
  }
}

package typealias Trip = SampleTripsSchemaV3.Trip
package typealias PersonalTrip = SampleTripsSchemaV3.PersonalTrip
package typealias BusinessTrip = SampleTripsSchemaV3.BusinessTrip
package typealias BucketListItem = SampleTripsSchemaV3.BucketListItem
package typealias LivingAccommodation = SampleTripsSchemaV3.LivingAccommodation
package typealias Tag = SampleTripsSchemaV3.Tag
