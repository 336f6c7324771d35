import Foundation
import SwiftData

enum SampleTripsSchemaV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)

  static var models: [any PersistentModel.Type] {
    [Trip.self, BucketListItem.self, LivingAccommodation.self]
  }

  @Model
  final class Trip {
    var name: String
    var destination: String
    var start_date: Date
    var end_date: Date

    var bucketList: [BucketListItem]? = []
    var livingAccommodation: LivingAccommodation?

    init(name: String, destination: String, start_date: Date, end_date: Date) {
      self.name = name
      self.destination = destination
      self.start_date = start_date
      self.end_date = end_date
    }
  }

  @Model
  final class BucketListItem {
    var title: String

    init(title: String) {
      self.title = title
    }
  }

  @Model
  final class LivingAccommodation {
    var placeName: String

    init(placeName: String) {
      self.placeName = placeName
    }
  }
}

enum SampleTripsSchemaV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)

  static var models: [any PersistentModel.Type] {
    [Trip.self, BucketListItem.self, LivingAccommodation.self]
  }

  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    var destination: String
    var start_date: Date
    var end_date: Date

    var bucketList: [BucketListItem]? = []
    var livingAccommodation: LivingAccommodation?

    init(name: String, destination: String, start_date: Date, end_date: Date) {
      self.name = name
      self.destination = destination
      self.start_date = start_date
      self.end_date = end_date
    }
  }

  @Model
  final class BucketListItem {
    var title: String

    init(title: String) {
      self.title = title
    }
  }

  @Model
  final class LivingAccommodation {
    var placeName: String

    init(placeName: String) {
      self.placeName = placeName
    }
  }
}

enum SampleTripsSchemaV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)

  static var models: [any PersistentModel.Type] {
    [Trip.self, BucketListItem.self, LivingAccommodation.self]
  }

  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    var destination: String
    @Attribute(originalName: "start_date") var startDate: Date
    @Attribute(originalName: "end_date") var endDate: Date

    var bucketList: [BucketListItem]? = []
    var livingAccommodation: LivingAccommodation?

    init(name: String, destination: String, startDate: Date, endDate: Date) {
      self.name = name
      self.destination = destination
      self.startDate = startDate
      self.endDate = endDate
    }
  }

  @Model
  final class BucketListItem {
    var title: String
    var isDone: Bool = false

    init(title: String) {
      self.title = title
    }
  }

  @Model
  final class LivingAccommodation {
    var placeName: String

    init(placeName: String) {
      self.placeName = placeName
    }
  }
}

enum SampleTripsMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] {
    [SampleTripsSchemaV1.self, SampleTripsSchemaV2.self, SampleTripsSchemaV3.self]
  }

  static var stages: [MigrationStage] {
    [migrateV1toV2, migrateV2toV3]
  }

  static let migrateV1toV2 = MigrationStage.custom(
    fromVersion: SampleTripsSchemaV1.self,
    toVersion: SampleTripsSchemaV2.self,
    willMigrate: { context in
      let trips = try context.fetch(
        FetchDescriptor<SampleTripsSchemaV1.Trip>(sortBy: [SortDescriptor(\.start_date)])
      )
      var seen: Set<String> = []
      for trip in trips {
        if seen.contains(trip.name) {
          context.delete(trip)
        } else {
          seen.insert(trip.name)
        }
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
