import CommandLineKit
import Foundation
import SampleTrips
import SwiftData

struct TripLine: Encodable {
  let schema = 1
  let type = "trip"
  let name: String
  let destination: String
  let startDate: Date
  let endDate: Date
  let kind: String
  let status: String
  let isFavorite: Bool
  let accommodation: String?
  let isConfirmed: Bool?
  let tags: [String]
  let bucketList: [String]?
  /// Whether the widget has changed the trip since the trip was last shown.
  let hasBadge: Bool

  /// Creates the line of a trip; the bucket list is included only if `isWhole` is true.
  init(_ trip: Trip, isWhole: Bool, hasBadge: Bool) {
    self.hasBadge = hasBadge
    name = trip.name
    destination = trip.destination
    startDate = trip.startDate
    endDate = trip.endDate
    kind = SampleTrips.kind(of: trip)
    status = trip.status.rawValue
    isFavorite = trip.isFavorite
    accommodation = trip.livingAccommodation?.placeName
    isConfirmed = trip.livingAccommodation?.isConfirmed
    tags = trip.tags.map(\.word).sorted()
    bucketList = isWhole ? trip.bucketList.map(\.title) : nil
  }

  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.dateEncodingStrategy = .iso8601
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
  }
}

extension SampleTrips {
  static func kind(of trip: Trip) -> String {
    switch trip {
    case is PersonalTrip: "personal"
    case is BusinessTrip: "business"
    default: "trip"
    }
  }
}

/// The day of a date in UTC.
func day(_ date: Date) -> String {
  date.formatted(.iso8601.year().month().day())
}

extension Trip {
  /// The output of `trips show`.
  func description(_ style: Style) -> String {
    var rows: [[String]] = [
      ["Destination", destination],
      ["From", day(startDate)],
      ["To", day(endDate)],
      ["Status", status.rawValue + (isFavorite ? ", a favorite" : "")],
    ]
    if let trip = self as? PersonalTrip {
      rows.append(["Reason", trip.reason.rawValue])
      if !trip.companions.isEmpty {
        rows.append(["With", trip.companions.joined(separator: ", ")])
      }
    }
    if let trip = self as? BusinessTrip {
      rows.append(["Per diem", "\(trip.perDiem)"])
      rows.append(["Cost center", "\(trip.costCenter)"])
    }
    if let budget { rows.append(["Budget", "\(budget)"]) }
    if let website { rows.append(["Website", website.absoluteString]) }
    if !tags.isEmpty { rows.append(["Tags", tags.map(\.word).sorted().joined(separator: ", ")]) }
    if let place = livingAccommodation {
      rows.append([
        "Stay",
        "\(place.placeName), \(place.address) "
          + (place.isConfirmed ? "(confirmed)" : "(not confirmed)"),
      ])
    }
    var text = style.bold(name) + "\n" + columns(rows)
    if !notes.isEmpty { text += "\n\(notes)\n" }
    if !bucketList.isEmpty { text += "\nBucket list\n" }
    for item in bucketList {
      let mark = item.doneAt != nil ? "x" : item.isInPlan ? "-" : " "
      text += "[\(mark)] \(item.title)" + (item.hasReservation ? " (reserved)" : "") + "\n"
    }
    return text
  }
}
