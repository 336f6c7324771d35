import CommandLineKit
import Format
import Foundation
import SampleTrips
import SwiftData

/// Opens the store that a call names, for an author.
func openStore(
  _ call: Call,
  as author: SampleTrips.Author = .app,
  mustExist: Bool = true
) throws -> ModelContext {
  let path = call.arguments[Trips.store]
  let exists = FileManager.default.fileExists(atPath: path)
  if mustExist, !exists {
    throw CommandError(.missing) {
      "There is no store \(path)."
        + "\nCreate a store with “trips add \(path) …” or “trips seed \(path)”."
    }
  }
  let container = try SampleTrips.container(
    at: URL(fileURLWithPath: path),
    allowsSave: !exists || FileManager.default.isWritableFile(atPath: path)
  )
  let context = ModelContext(container)
  context.author = author.rawValue
  return context
}

func find(_ name: String, in context: ModelContext) throws -> Trip {
  var descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
  descriptor.fetchLimit = 1
  if let trip = try context.fetch(descriptor).first { return trip }
  var similar = FetchDescriptor<Trip>(
    predicate: #Predicate { $0.name.localizedStandardContains(name) },
    sortBy: [SortDescriptor(\.name)]
  )
  similar.fetchLimit = 3
  let names = try context.fetch(similar).map(\.name)
  throw CommandError(.missing) {
    "There is no trip with the name \(quotedValue(name))."
      + (names.isEmpty
        ? ""
        : "\nSimilar \(names.count == 1 ? "name" : "names"):"
          + " \(names.map(quotedValue).joined(separator: ", ")).")
  }
}

/// Throws if a trip has this name, because inserting another trip with the name would replace it.
func checkIsFree(_ name: String, in context: ModelContext) throws {
  let taken = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
  guard try context.fetchCount(taken) > 0 else { return }
  throw CommandError(.failure) {
    "There is already a trip with the name \(quotedValue(name))."
      + "\nGive another name, or change the existing trip with “trips edit”."
  }
}
