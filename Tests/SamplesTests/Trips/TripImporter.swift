import Foundation
import SwiftData
import os

struct TripRecord: Codable, Sendable {
  var name: String
  var destination: String
  var startDate: Date
  var endDate: Date
}

@ModelActor
actor TripImporter {
  private static let logger = Logger(subsystem: "com.example.trips", category: "import")

  func importTrips(_ records: some Sequence<TripRecord> & Sendable, batchSize: Int = 10_000) throws
  {
    modelContext.autosaveEnabled = false
    var count = 0
    for record in records {
      let trip = Trip(
        name: record.name,
        destination: record.destination,
        startDate: record.startDate,
        endDate: record.endDate
      )
      modelContext.insert(trip)
      count += 1
      if count.isMultiple(of: batchSize) {
        try modelContext.save()
        Self.logger.debug("imported \(count) trips")
      }
    }
    try modelContext.save()
  }

  func count(destination: String? = nil) throws -> Int {
    guard let destination else { return try modelContext.fetchCount(FetchDescriptor<Trip>()) }
    return try modelContext.fetchCount(
      FetchDescriptor<Trip>(predicate: #Predicate { $0.destination == destination })
    )
  }

  func rename(_ id: PersistentIdentifier, to name: String) throws {
    guard let trip = self[id, as: Trip.self] else { return }
    trip.name = name
    try modelContext.save()
  }

  func deleteTrips(to destination: String) throws {
    try modelContext.delete(model: Trip.self, where: #Predicate { $0.destination == destination })
    try modelContext.save()
  }
}
