import SwiftData

package enum SampleTripsMigrationPlan: SchemaMigrationPlan {
  package static var schemas: [any VersionedSchema.Type] {
    [SampleTripsSchemaV1.self, SampleTripsSchemaV2.self, SampleTripsSchemaV3.self]
  }

  package static var stages: [MigrationStage] { [migrateV1toV2, migrateV2toV3] }

  /// Names become unique.
  ///
  /// If several trips have the same name, the earliest remains, and gets the bucket list items of
  /// the others.
  static let migrateV1toV2 = MigrationStage.custom(
    fromVersion: SampleTripsSchemaV1.self,
    toVersion: SampleTripsSchemaV2.self,
    willMigrate: { context in
      let trips = try context.fetch(
        FetchDescriptor<SampleTripsSchemaV1.Trip>(
          sortBy: [SortDescriptor(\.start_date), SortDescriptor(\.end_date)]
        )
      )
      var kept: [String: SampleTripsSchemaV1.Trip] = [:]
      for trip in trips {
        guard let first = kept[trip.name] else {
          kept[trip.name] = trip
          continue
        }
        for item in trip.bucketList { item.trip = first }
        if first.livingAccommodation == nil {
          first.livingAccommodation = trip.livingAccommodation
        }
        context.delete(trip)
      }
      try context.save()
    },
    didMigrate: nil
  )

  static let migrateV2toV3 = MigrationStage.lightweight(
    fromVersion: SampleTripsSchemaV2.self,
    toVersion: SampleTripsSchemaV3.self
  )
}
