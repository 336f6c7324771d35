import CommandLineKit
import Format
import Foundation
import SampleTrips
import SwiftData

extension Trips {
  static let list = Command(
    "list",
    summary: "Lists trips by date.",
    discussion:
      "A trip that the widget changed has a badge until “trips show” shows the trip. The badges "
      + "come from the store's history.",
    examples: [
      "trips list trips.store": "List all trips.",
      "trips list trips.store --search bergen":
        "List trips with this text in their name or destination.",
    ],
    parameters: [store, search, limit],
    files: files,
    exitCodes: [.unreadable, .missing, .locked, .schemaMismatch]
  ) { call in
    let context = try openStore(call)
    let unseen = try unseenTrips(call, in: context)
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
      for trip in trips {
        let hasBadge = unseen.trips.contains(trip.persistentModelID)
        try call.output.write(TripLine(trip, isWhole: false, hasBadge: hasBadge).json)
      }
      return .success
    }
    let rows = trips.map { trip in
      [
        day(trip.startDate), day(trip.endDate), trip.status.rawValue, trip.name, trip.destination,
      ] + (unseen.trips.contains(trip.persistentModelID) ? ["* changed by the widget"] : [])
    }
    try call.output.write(columns(rows))
    return .success
  }

  static let search = Parameter<String?>.optional(
    "search",
    short: "s",
    type: .text,
    help: "Only trips with this text in their name or destination."
  )
  static let limit = Parameter<Int?>.optional(
    "limit",
    short: "n",
    type: .integer(in: 1...(.max)),
    help: "List at most this many trips."
  )

  static let show = Command(
    "show",
    summary: "Shows one trip with its bucket list and place to stay.",
    examples: [
      "trips show trips.store Norway": "Show the trip Norway."
    ],
    parameters: [store, name],
    files: files,
    exitCodes: [.unreadable, .missing, .locked, .schemaMismatch]
  ) { call in
    let context = try openStore(call)
    let trip = try find(call.arguments[name], in: context)
    let unseen = try unseenTrips(call, in: context)
    let hasBadge = unseen.trips.contains(trip.persistentModelID)
    try call.output.write(
      call.arguments[json]
        ? TripLine(trip, isWhole: true, hasBadge: hasBadge).json
        : trip.description(call.output.style)
    )
    if hasBadge { try unseenTrips(call, in: context, seeing: trip) }
    return .success
  }

  static let files: KeyValuePairs = [
    "STORE-unseen.json":
      "The ids of the trips with a badge, and the id of the last transaction that “trips list” has read."
  ]

  /// The trips that have a badge, except a trip that was just shown.
  @discardableResult
  private static func unseenTrips(
    _ call: Call,
    in context: ModelContext,
    seeing trip: Trip? = nil
  ) throws -> UnseenTrips {
    let path = call.arguments[store]
    let url = URL(fileURLWithPath: path)
    do {
      var unseen = try UnseenTrips(of: url)
      var isNew = try unseen.update(from: context)
      if let trip { isNew = unseen.see(trip) || isNew }
      // Without permission to write to the store, the badges are only read.
      if isNew, FileManager.default.isWritableFile(atPath: path) { try unseen.save(beside: url) }
      return unseen
    } catch  where error is CocoaError || error is DecodingError {
      throw CommandError(.failure) {
        "The badges in \(UnseenTrips.file(of: url).path) can't be read or written:"
          + " \(reason(of: error))"
          + "\nRemove this file, or make its folder writable; the next “trips list” creates a new"
          + " file."
      }
    }
  }
}
