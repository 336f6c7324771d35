import Foundation
import SwiftData

@Model
final class Airport {
  @Attribute(.unique) var code: String
  var name: String
  var departures: Int = 0

  init(code: String, name: String, departures: Int = 0) {
    self.code = code
    self.name = name
    self.departures = departures
  }
}

struct AirportFeed: Decodable {
  struct Entry: Decodable {
    var code: String
    var name: String
    var departures: Int
  }

  var airports: [Entry]
}

extension ModelContext {
  /// Updates known airports and adds new ones, by their unique code.
  func merge(_ feed: AirportFeed) throws {
    for entry in feed.airports {
      insert(Airport(code: entry.code, name: entry.name, departures: entry.departures))
    }
    try save()
  }
}
