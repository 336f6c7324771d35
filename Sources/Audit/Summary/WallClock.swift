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
  func offset(at time: String) -> Int { seconds(of: time).map { zone.offset(at: $0) } ?? 0 }

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
    guard let instant = seconds(of: time) else { return nil }
    let shifted = instant + zone.offset(at: instant)
    let day = shifted >= 0 ? shifted / 86_400 : (shifted - 86_399) / 86_400
    return (day, shifted - day * 86_400)
  }
}

private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// Writes a day as `2026-11-03`; the day is given as the number of days since 1970.
func text(ofDay day: Int) -> String {
  let (year, month, day) = civil(day)
  return "\(year)-\(two(month))-\(two(day))"
}

/// Converts a time of the history to seconds since 1970, without fractions.
func seconds(of time: String) -> Int? {
  let bytes = Array(time.utf8)
  guard bytes.count >= 20 else { return nil }
  func number(_ range: Range<Int>) -> Int? {
    Int(String(decoding: bytes[range], as: UTF8.self))
  }
  guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
    let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
  else { return nil }
  return days(year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
}

/// The number of days from 1970 to a date.
func days(_ year: Int, month: Int, day: Int) -> Int {
  let year = month <= 2 ? year - 1 : year
  let era = (year >= 0 ? year : year - 399) / 400
  let yearOfEra = year - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

/// The date of a day that is given as the number of days since 1970.
func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
  let shifted = days + 719_468
  let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
  let day = shifted - era * 146_097
  let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
  let dayOfYear = day - (365 * year + year / 4 - year / 100)
  let month = (5 * dayOfYear + 2) / 153
  let number = month < 10 ? month + 3 : month - 9
  return (year + era * 400 + (number <= 2 ? 1 : 0), number, dayOfYear - (153 * month + 2) / 5 + 1)
}
