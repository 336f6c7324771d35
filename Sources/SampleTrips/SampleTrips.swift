import SwiftData

import struct Store.Provenance

package enum SampleTrips {
  package enum Author: String, CaseIterable, Sendable {
    case app = "com.example.SampleTrips"
    case widget = "com.example.SampleTrips.widget"
    case sync = "com.example.SampleTrips.sync"
  }

  private static var schema: Schema { Schema(versionedSchema: SampleTripsSchemaV3.self) }

  /// Opens the store of trips; older versions are migrated.
  package static func container(at store: URL, allowsSave: Bool = true) throws -> ModelContainer {
    try container(configuration(store, allowsSave: allowsSave))
  }

  static func container(_ configuration: ModelConfiguration) throws -> ModelContainer {
    try ModelContainer(
      for: schema,
      migrationPlan: SampleTripsMigrationPlan.self,
      configurations: configuration
    )
  }

  static func configuration(_ store: URL, allowsSave: Bool = true) -> ModelConfiguration {
    ModelConfiguration("trips", schema: schema, url: store, allowsSave: allowsSave)
  }
}
