import SwiftData

/// How far a trip has come.
package enum TripStatus: String, Codable, CaseIterable, Sendable {
  case idea, planned, booked, underway, done, cancelled
}

/// A point on the Earth, in degrees.
package struct Coordinate: Codable, Hashable, Sendable {
  /// North of the equator, or south where negative.
  package var latitude: Double
  /// East of Greenwich, or west where negative.
  package var longitude: Double

  package init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// Why somebody travels.
package enum Reason: String, Codable, CaseIterable, Sendable {
  case family, reunion, wellness, adventure, unknown
}

/// Something that was paid for on a trip for work.
package struct Expense: Codable, Hashable, Sendable {
  package var what: String
  /// How much, in the currency's smallest unit.
  package var cents: Int
  package var date: Date

  package init(what: String, cents: Int, date: Date) {
    self.what = what
    self.cents = cents
    self.date = date
  }
}

/// How much somebody wants something.
package enum Priority: Int, Codable, CaseIterable, Sendable {
  case someday = 1
  case soon, must
}

/// How a thing is paid.
package enum Payment: Codable, Hashable, Sendable {
  case none
  case onSite(currency: String)
  case prepaid(cents: Int, reference: String)
}
