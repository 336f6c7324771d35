import Format

/// The time zone and the office hours of a report.
package struct WallClock: Sendable {
  package let zone: TimeZoneRules
  /// The office hours, such as 8..<18; nil if no office hours were given.
  package let officeHours: Range<Int>?

  package init(zone: TimeZoneRules = .utc, officeHours: Range<Int>? = nil) {
    self.zone = zone
    self.officeHours = officeHours
  }

  package var zoneName: String { zone.name }

  /// Converts a time of the history to the time zone, in the form `2026-11-03 08:00:12`.
  package func text(_ time: String) -> String {
    guard let local = local(time) else { return time }
    let hour = two(local.second / 3600)
    let minute = two(local.second / 60 % 60)
    return "\(Audit.text(ofDay: local.day)) \(hour):\(minute):\(two(local.second % 60))"
  }

  /// The offset from UTC in seconds at a time.
  func offset(at time: String) -> Int {
    secondsSince1970(ofTime: time).map { zone.offset(at: $0) } ?? 0
  }

  /// The name of the weekday of a time; if the text can't be read as a time, the text itself.
  func weekday(_ time: String) -> String {
    guard let local = local(time) else { return time }
    let names = [
      "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
    ]
    return names[(local.day % 7 + 7) % 7]
  }

  /// Whether a time is outside office hours or on a weekend.
  package func isOutsideOfficeHours(_ time: String) -> Bool {
    guard let officeHours, let local = local(time) else { return false }
    // Day 0 is the first of January 1970, which was a Thursday.
    let weekday = ((local.day + 3) % 7 + 7) % 7
    return weekday > 4 || !officeHours.contains(local.second / 3600)
  }

  /// The number of the day since 1970, and the second of that day; nil if the text is not a time.
  func local(_ time: String) -> (day: Int, second: Int)? {
    guard let instant = secondsSince1970(ofTime: time) else { return nil }
    let shifted = instant + zone.offset(at: instant)
    let day = shifted >= 0 ? shifted / 86_400 : (shifted - 86_399) / 86_400
    return (day, shifted - day * 86_400)
  }
}

private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// Writes a day as `2026-11-03`; the day is given as the number of days since 1970.
func text(ofDay day: Int) -> String {
  let date = CivilDate(daysSince1970: day)
  return "\(date.year)-\(two(date.month))-\(two(date.day))"
}
