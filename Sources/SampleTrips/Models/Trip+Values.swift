import SwiftData

package enum TripStatus: String, Codable, CaseIterable, Sendable {
  case idea, planned, booked, underway, done, cancelled
}

/// A position on the earth, in degrees.
package struct Coordinate: Codable, Hashable, Sendable {
  /// The latitude, which is negative in the south.
  package var latitude: Double
  /// The longitude, which is negative in the west.
  package var longitude: Double

  package init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

package enum Reason: String, Codable, CaseIterable, Sendable {
  case family, reunion, wellness, adventure, unknown
}

package struct Expense: Codable, Hashable, Sendable {
  package var what: String
  /// The amount in the currency's smallest unit.
  package var cents: Int
  package var date: Date

  package init(what: String, cents: Int, date: Date) {
    self.what = what
    self.cents = cents
    self.date = date
  }
}

package enum Priority: Int, Codable, CaseIterable, Sendable {
  case someday = 1
  case soon, must
}

package enum Payment: Codable, Hashable, Sendable {
  case none
  case onSite(currency: String)
  case prepaid(cents: Int, reference: String)
}
