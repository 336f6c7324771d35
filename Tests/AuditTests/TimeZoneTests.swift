import Audit
import Foundation
import Testing

/// A time in seconds since 1970.
private func seconds(_ text: String) throws -> Int {
  Int(try Date(text, strategy: .iso8601).timeIntervalSince1970)
}

@Suite("Time zones")
struct TimeZoneTests {
  @Test(
    "Offsets are those of Foundation around every change of clocks in half a century.",
    .enabled(if: TimeZoneRules(named: "Europe/Berlin") != nil),
    arguments: [
      "Africa/Casablanca", "Africa/Monrovia", "America/Caracas", "America/New_York",
      "America/Nuuk", "America/Sao_Paulo", "America/St_Johns", "Asia/Gaza", "Asia/Kathmandu",
      "Asia/Kolkata", "Asia/Pyongyang", "Asia/Seoul", "Asia/Tehran", "Asia/Tokyo",
      "Atlantic/Azores", "Australia/Lord_Howe", "Australia/Sydney", "Etc/GMT+12", "Europe/Berlin",
      "Europe/Dublin", "Europe/Moscow", "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham",
    ]
  )
  func offsets(_ name: String) throws {
    let mine = try #require(TimeZoneRules(named: name))
    let theirs = try #require(TimeZone(identifier: name))
    #expect(mine.name == name)
    var date = Date(timeIntervalSince1970: Double(try seconds("1970-01-01T00:00:00Z")))
    // The two databases may be of different years, so recent changes of law are not compared.
    let end = Double(try seconds("2025-01-01T00:00:00Z"))
    var times: [Int] = []
    while let next = theirs.nextDaylightSavingTimeTransition(after: date),
      next.timeIntervalSince1970 < end
    {
      let moment = Int(next.timeIntervalSince1970)
      times += [moment - 1, moment, moment + 1]
      date = next
    }
    times += stride(from: 0, to: Int(end), by: 86_400 * 13 + 1_800)
    let wrong = times.filter {
      mine.offset(at: $0)
        != theirs.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0)))
    }
    // Corrections of old rules may be in only one of the databases.
    #expect(wrong.count <= times.count / 200, "\(wrong.prefix(3))")
  }

  @Test(
    "After the last listed change, offsets follow the rule of the zone.",
    .enabled(if: TimeZoneRules(named: "Europe/Berlin") != nil)
  )
  func rules() throws {
    let berlin = try #require(TimeZoneRules(named: "Europe/Berlin"))
    // The last Sunday of March 2045 is the 26th, that of October the 29th.
    let times = [
      ("2045-03-26T00:59:59Z", 3600), ("2045-03-26T01:00:00Z", 7200),
      ("2045-10-29T00:59:59Z", 7200), ("2045-10-29T01:00:00Z", 3600),
    ]
    for (time, offset) in times { #expect(berlin.offset(at: try seconds(time)) == offset) }
    let sydney = try #require(TimeZoneRules(named: "Australia/Sydney"))
    #expect(sydney.offset(at: try seconds("2045-01-15T00:00:00Z")) == 39_600)
    #expect(sydney.offset(at: try seconds("2045-07-15T00:00:00Z")) == 36_000)
  }

  @Test(
    "A name that is not a time zone gives no zone, and no file outside the database is read.",
    arguments: [
      "", "Mars/Base", "/etc/passwd", "../../etc/passwd", "Europe", "Europe/", "zone.tab", "a\0b",
    ]
  )
  func unknown(_ name: String) {
    #expect(TimeZoneRules(named: name) == nil)
  }

  @Test("UTC needs no database.")
  func utc() throws {
    #expect(TimeZoneRules(named: "UTC") == .utc)
    #expect(TimeZoneRules.utc.offset(at: 1_000_000_000) == 0)
  }
}
