import CommandLineKit
import Foundation
import SampleTrips
import SwiftData

extension Trips {
  static let list = Command(
    "list",
    summary: "Lists trips by their date.",
    examples: [
      .init("trips list trips.store", "All trips."),
      .init("trips list trips.store --search bergen", "Those with this in name or destination."),
    ],
    parameters: [store, search, limit],
    exitCodes: [.unreadable, .missing, .locked, .schemaMismatch]
  ) { call in
    let context = try openStore(call)
    let text = call.arguments[search] ?? ""
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { trip in
        text.isEmpty || trip.name.localizedStandardContains(text)
          || trip.destination.localizedStandardContains(text)
      },
      sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name)]
    )
    descriptor.fetchLimit = call.arguments[limit]
    let trips = try context.fetch(descriptor)
    if call.arguments[json] {
      for trip in trips { try call.output.write(TripLine(trip, isWhole: false).json) }
      return .success
    }
    let rows = trips.map { trip in
      [
        day(trip.startDate), day(trip.endDate), trip.status.rawValue, trip.name, trip.destination,
      ]
    }
    try call.output.write(columns(rows))
    return .success
  }

  static let search = Parameter<String?>.optional(
    "search",
    short: "s",
    .text,
    help: "Only trips with this text in their name or destination."
  )
  static let limit = Parameter<Int?>.optional(
    "limit",
    short: "n",
    .integer(in: 1...(.max)),
    help: "The most trips to list."
  )

  static let show = Command(
    "show",
    summary: "Shows one trip, with its bucket list and its place to stay.",
    examples: [.init("trips show trips.store Norway", "The trip with the name Norway.")],
    parameters: [store, name],
    exitCodes: [.unreadable, .missing, .locked, .schemaMismatch]
  ) { call in
    let trip = try find(call.arguments[name], in: openStore(call))
    try call.output.write(
      call.arguments[json]
        ? TripLine(trip, isWhole: true).json : trip.description(call.output.style)
    )
    return .success
  }
}
