import SwiftData

import struct Store.Provenance

package enum SampleTrips {
  /// The authors of changes.
  package enum Author: String, CaseIterable, Sendable {
    case app = "com.example.SampleTrips"
    case widget = "com.example.SampleTrips.widget"
    case sync = "com.example.SampleTrips.sync"
  }

  /// Opens the store of trips, and the store of people if it is given; older versions are migrated.
  package static func container(
    at store: URL,
    people: URL? = nil,
    allowsSave: Bool = true
  ) throws -> ModelContainer {
    try container(
      trips: configuration(
        "trips",
        models: SampleTripsSchemaV3.trips,
        url: store,
        allowsSave: allowsSave
      ),
      people: people.map {
        configuration("people", models: SampleTripsSchemaV3.people, url: $0, allowsSave: allowsSave)
      }
    )
  }

  static func container(
    trips: ModelConfiguration,
    people: ModelConfiguration?
  ) throws -> ModelContainer {
    let configurations = [trips] + (people.map { [$0] } ?? [])
    return try ModelContainer(
      for: Schema(
        people == nil ? SampleTripsSchemaV3.trips : SampleTripsSchemaV3.models,
        version: SampleTripsSchemaV3.versionIdentifier
      ),
      migrationPlan: SampleTripsMigrationPlan.self,
      configurations: configurations
    )
  }

  static func configuration(
    _ name: String,
    models: [any PersistentModel.Type],
    url: URL,
    allowsSave: Bool = true
  ) -> ModelConfiguration {
    ModelConfiguration(
      name,
      schema: Schema(models, version: SampleTripsSchemaV3.versionIdentifier),
      url: url,
      allowsSave: allowsSave
    )
  }
}
