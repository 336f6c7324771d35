import CommandLineKit
import Format
import Foundation
import SampleTrips
import SwiftData

extension Trips {
  private enum Kind: String, CaseIterable, Sendable { case trip, personal, business }

  private static let newName = Parameter<String>.required(
    "name",
    type: .text,
    help: "The name; no other trip may have the same name."
  )
  private static let destination = Parameter<String>.required(
    "destination",
    type: .text,
    help: "The destination."
  )
  private static let start = Parameter<Date>.required("start", type: .date, help: "The first day.")
  private static let end = Parameter<Date>.required("end", type: .date, help: "The last day.")
  private static let kind = Parameter<Kind>.flag(
    "kind",
    type: .oneOf,
    fallback: "trip",
    help: "The kind of trip."
  )

  static let add = Command(
    "add",
    summary: "Adds a trip, and creates the store if it does not exist.",
    examples: [
      "trips add trips.store --name Norway --destination Bergen --start 2026-06-01 --end 2026-06-14":
        "Plan two weeks in Norway."
    ],
    parameters: [store, newName, destination, start, end, kind],
    exitCodes: [.unreadable, .locked, .schemaMismatch]
  ) { call in
    let given = call.arguments
    try checkOrder(from: given[start], to: given[end])
    let context = try openStore(call, mustExist: false)
    try checkIsFree(given[newName], in: context)
    let trip: Trip =
      switch given[kind] {
      case .trip:
        Trip(
          name: given[newName],
          destination: given[destination],
          startDate: given[start],
          endDate: given[end]
        )
      case .personal:
        PersonalTrip(
          name: given[newName],
          destination: given[destination],
          startDate: given[start],
          endDate: given[end],
          reason: .unknown
        )
      case .business:
        BusinessTrip(
          name: given[newName],
          destination: given[destination],
          startDate: given[start],
          endDate: given[end],
          perDiem: 0,
          costCenter: 0
        )
      }
    context.insert(trip)
    try context.save()
    return .success
  }

  private static let otherName = Parameter<String?>.optional(
    "name",
    type: .text,
    help: "The new name."
  )
  private static let otherDestination = Parameter<String?>.optional(
    "destination",
    type: .text,
    help: "The new destination."
  )
  private static let otherStart = Parameter<Date?>.optional(
    "start",
    type: .date,
    help: "The new first day."
  )
  private static let otherEnd = Parameter<Date?>.optional(
    "end",
    type: .date,
    help: "The new last day."
  )
  private static let notes = Parameter<String?>.optional(
    "notes",
    type: .text,
    help: "The new notes; an empty text removes them."
  )
  private static let status = Parameter<TripStatus?>.optional(
    "status",
    type: .oneOf,
    help: "The new status."
  )
  private static let favorite = Parameter<YesOrNo?>.optional(
    "favorite",
    type: .oneOf,
    help: "Whether the trip is a favorite."
  )
  private static let item = Parameter<[String]>.repeated(
    "item",
    type: .text,
    help: "Add this to the bucket list."
  )
  private enum YesOrNo: String, CaseIterable, Sendable { case yes, no }

  static let edit = Command(
    "edit",
    summary: "Changes a trip.",
    examples: [
      "trips edit trips.store Norway --status booked": "Mark a trip as booked.",
      "trips edit trips.store Norway --item 'See the aurora'": "Add to the trip's bucket list.",
    ],
    parameters: [
      store, name, otherName, otherDestination, otherStart, otherEnd, notes, status, favorite, item,
    ],
    exitCodes: [.unreadable, .missing, .locked, .schemaMismatch]
  ) { call in
    let given = call.arguments
    let context = try openStore(call)
    let trip = try find(given[name], in: context)
    try checkOrder(from: given[otherStart] ?? trip.startDate, to: given[otherEnd] ?? trip.endDate)
    if let name = given[otherName], name != trip.name {
      try checkIsFree(name, in: context)
      trip.name = name
    }
    if let destination = given[otherDestination] { trip.destination = destination }
    if let date = given[otherStart] { trip.startDate = date }
    if let date = given[otherEnd] { trip.endDate = date }
    if let text = given[notes] { trip.notes = text }
    if let found = given[status] { trip.status = found }
    if let answer = given[favorite] { trip.isFavorite = answer == .yes }
    for title in given[item] { trip.bucketList.append(BucketListItem(title: title)) }
    guard context.hasChanges else {
      throw CommandError(.usage) { "No change was given.\nSee “trips edit --help”." }
    }
    try context.save()
    return .success
  }

  static let delete = Command(
    "delete",
    summary: "Deletes a trip with its bucket list and place to stay.",
    examples: [
      "trips delete trips.store Norway": "Delete the trip Norway."
    ],
    parameters: [store, name],
    exitCodes: [.unreadable, .missing, .locked, .schemaMismatch]
  ) { call in
    let context = try openStore(call)
    context.delete(try find(call.arguments[name], in: context))
    try context.save()
    return .success
  }

  private static let place = Parameter<String>.required(
    "place",
    type: .text,
    help: "The name of the hotel, or of the friend to stay with."
  )
  private static let address = Parameter<String>.flag(
    "address",
    type: .text,
    fallback: "",
    help: "The address."
  )
  private static let isConfirmed = Parameter<Bool>.toggle(
    "confirmed",
    help: "Mark the booking as confirmed."
  )

  static let book = Command(
    "book",
    summary: "Books a place to stay, and replaces an earlier booking.",
    examples: [
      "trips book trips.store Norway --place 'Hotel Nordlys'": "Book a hotel for the trip Norway."
    ],
    parameters: [store, name, place, address, isConfirmed],
    exitCodes: [.unreadable, .missing, .locked, .schemaMismatch]
  ) { call in
    let given = call.arguments
    let context = try openStore(call)
    let trip = try find(given[name], in: context)
    if let old = trip.livingAccommodation { context.delete(old) }
    trip.livingAccommodation = LivingAccommodation(
      placeName: given[place],
      address: given[address],
      isConfirmed: given[isConfirmed]
    )
    trip.status = .booked
    try context.save()
    return .success
  }
}

private func checkOrder(from start: Date, to end: Date) throws {
  guard end < start else { return }
  throw CommandError(.usage) {
    "The trip would end on \(day(end)), before it begins on \(day(start))."
  }
}
