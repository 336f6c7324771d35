import Format

/// A rule for the days in each year on which clocks change.
///
/// The text of a rule has the form of the POSIX variable `TZ`, such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
struct DaylightRule: Hashable, Sendable {
  private var standard: Int
  private var summer: Summer?

  private struct Summer: Hashable {
    var offset: Int
    var start: Day
    var end: Day
  }

  /// A day of the year on which clocks change, and the second of that day.
  private struct Day: Hashable {
    enum Kind: Hashable {
      /// A weekday of a month; week 5 means the last such weekday of the month.
      case weekday(month: Int, week: Int, day: Int)
      /// The number of a day from 1 to 365; the 29th of February is not counted.
      case withoutLeapDay(Int)
      /// The number of a day from 0 to 365; the 29th of February is counted.
      case ofYear(Int)
    }

    var kind: Kind
    var second: Int

    /// The local time of the change in a year, in seconds since 1970.
    func time(in year: Int) -> Int {
      let day: Int
      switch kind {
      case .weekday(let month, let week, let weekday):
        let first = CivilDate.days(year, month: month, day: 1)
        // Day 0 is the first of January 1970, which was a Thursday.
        let firstWeekday = ((first + 4) % 7 + 7) % 7
        let next =
          month == 12
          ? CivilDate.days(year + 1, month: 1, day: 1)
          : CivilDate.days(year, month: month + 1, day: 1)
        var found = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
        while found >= next { found -= 7 }
        day = found
      case .withoutLeapDay(let number):
        let isLeapYear =
          CivilDate.days(year + 1, month: 1, day: 1) - CivilDate.days(year, month: 1, day: 1) == 366
        day = CivilDate.days(year, month: 1, day: 1) + number - (isLeapYear && number >= 60 ? 0 : 1)
      case .ofYear(let number): day = CivilDate.days(year, month: 1, day: 1) + number
      }
      return day * 86_400 + second
    }
  }

  /// Reads a rule; nil if the text is not a valid rule.
  init?(_ text: String) {
    var reading = Reading(rest: text.utf8[...])
    guard reading.skipName(), let standard = reading.duration() else { return nil }
    self.standard = -standard
    if reading.rest.isEmpty { return }
    guard reading.skipName() else { return nil }
    // If the rule contains no offset for summer time, clocks are one hour ahead in summer.
    var offset = -standard + 3600
    if reading.rest.first != UInt8(ascii: ",") {
      guard let said = reading.duration() else { return nil }
      offset = -said
    }
    guard let start = reading.day(), let end = reading.day(), reading.rest.isEmpty else {
      return nil
    }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// The offset from UTC in seconds; `time` is in seconds since 1970.
  func offset(at time: Int) -> Int {
    guard let summer else { return standard }
    let wall = time + standard
    let year = CivilDate(
      daysSince1970: wall >= 0 ? wall / 86_400 : (wall - 86_399) / 86_400
    ).year
    let start = summer.start.time(in: year) - standard
    let end = summer.end.time(in: year) - summer.offset
    let isSummer = start < end ? (start..<end).contains(time) : !(end..<start).contains(time)
    return isSummer ? summer.offset : standard
  }

  private struct Reading {
    var rest: Substring.UTF8View

    mutating func skip(_ letter: Character) -> Bool {
      guard rest.first == letter.asciiValue else { return false }
      rest.removeFirst()
      return true
    }

    mutating func skipName() -> Bool {
      if skip("<") {
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
        rest = rest[rest.index(after: end)...]
        return true
      }
      let name = rest.prefix { (0x41...0x5a).contains($0 & 0xdf) }
      rest = rest.dropFirst(name.count)
      return name.count >= 3
    }

    mutating func number() -> Int? {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      return digits.count < 4 ? Int(String(Substring(digits))) : nil
    }

    /// Reads a number of hours, with optional minutes and seconds, and returns it in seconds.
    mutating func duration() -> Int? {
      let sign = skip("-") ? -1 : 1
      if sign == 1 { _ = skip("+") }
      guard var result = number().map({ $0 * 3600 }) else { return nil }
      for unit in [60, 1] where skip(":") {
        guard let part = number() else { return nil }
        result += part * unit
      }
      return result * sign
    }

    mutating func day() -> Day? {
      guard skip(",") else { return nil }
      let kind: Day.Kind
      if skip("M") {
        guard let month = number(), (1...12).contains(month), skip("."), let week = number(),
          (1...5).contains(week), skip("."), let day = number(), (0...6).contains(day)
        else { return nil }
        kind = .weekday(month: month, week: week, day: day)
      } else if skip("J") {
        guard let number = number(), (1...365).contains(number) else { return nil }
        kind = .withoutLeapDay(number)
      } else {
        guard let number = number(), number < 366 else { return nil }
        kind = .ofYear(number)
      }
      guard skip("/") else { return Day(kind: kind, second: 7200) }
      return duration().map { Day(kind: kind, second: $0) }
    }
  }
}
