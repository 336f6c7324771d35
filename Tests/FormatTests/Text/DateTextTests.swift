import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("Dates as text")
struct DateTextTests {
  static func written(_ seconds: Double) -> String {
    text { appendDate(secondsSinceReference: seconds, to: &$0) }
  }

  @Test("Known instants have known texts.")
  func known() {
    let expected: [(Double, String)] = [
      (0, "2001-01-01T00:00:00Z"), (-1, "2000-12-31T23:59:59Z"),
      (-978_307_200, "1970-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"),
      (-0.25, "2000-12-31T23:59:59.75Z"), (-0.1, "2000-12-31T23:59:59.9Z"),
      (-1.000001, "2000-12-31T23:59:58.999999Z"), (1e-7, "2001-01-01T00:00:00.0000001Z"),
      (-1e-7, "2000-12-31T23:59:59.9999999Z"), (1.5e-10, "2001-01-01T00:00:00.00000000015Z"),
      (0.1 + 0.2, "2001-01-01T00:00:00.30000000000000004Z"),
      (811_512_000.123456, "2026-09-19T12:00:00.123456Z"),
      (94_608_000 + 58 * 86_400, "2004-02-28T00:00:00Z"),
      (94_608_000 + 59 * 86_400, "2004-02-29T00:00:00Z"),
      (datesShown.lowerBound, "0001-01-01T00:00:00Z"),
      (datesShown.upperBound - 1, "9999-12-31T23:59:59Z"),
      (datesShown.upperBound.nextDown, "9999-12-31T23:59:59.99997Z"),
    ]
    for (seconds, text) in expected {
      #expect(Self.written(seconds) == text)
      #expect(bytes(text, parseDate) == seconds)
    }
  }

  @Test("An instant that RFC 3339 can't express is not written.")
  func notShown() {
    for seconds in [
      .nan, .infinity, -.infinity, datesShown.upperBound, datesShown.lowerBound.nextDown, -0.0,
      1e300, -1e300,
    ] {
      #expect(Self.written(seconds) == "")
    }
  }

  @Test("Every day of the years 1 to 9999 has its own date, in ascending order.")
  func everyDay() {
    let first = CivilDate(year: 1, month: 1, day: 1)?.daysSinceReference ?? 0
    #expect(first == -730_485)
    var year = 1
    var month = 1
    var day = 1
    for number in first..<(first + 3_652_059) {
      let date = CivilDate(daysSinceReference: number)
      guard date.year == year, date.month == month, date.day == day,
        date.daysSinceReference == number
      else {
        Issue.record("day \(number) is \(date), not \(year)-\(month)-\(day)")
        return
      }
      day += 1
      if CivilDate(year: year, month: month, day: day) == nil {
        day = 1
        month += 1
      }
      if month == 13 {
        month = 1
        year += 1
      }
    }
    #expect(year == 10_000)
  }

  @Test("Whole seconds are written as Foundation's formatter writes them.")
  func foundation() {
    var generator = SeededGenerator(for: "dates against Foundation")
    for _ in 0..<trials(3000, long: 200_000) {
      // Foundation uses the Julian calendar before 1582.
      let seconds = Double.random(in: -13_000_000_000..<252_423_993_600, using: &generator)
        .rounded(.down)
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      #expect(Self.written(seconds) == date.ISO8601Format())
    }
  }

  /// An instant, sometimes one that can't be written.
  static func instant(_ index: Int, using generator: inout SeededGenerator) -> Double {
    let number: Double
    switch index % 7 {
    case 0: number = Double(bitPattern: generator.next())
    case 1: number = .random(in: datesShown, using: &generator)
    case 2: number = .random(in: 700_000_000..<900_000_000, using: &generator)
    case 3: number = (Double.random(in: -1e9..<1e9, using: &generator) * 1e6).rounded() / 1e6
    case 4: number = .random(in: -2..<2, using: &generator)
    case 5: number = (Double.random(in: -1e9..<1e9, using: &generator) * 1e3).rounded() / 1e3
    default: number = Double.random(in: datesShown, using: &generator).rounded()
    }
    return index % 4 == 0 ? number.nextDown : number
  }

  @Test("Every instant is read back bit by bit from its shortest text.")
  func roundTrip() {
    var generator = SeededGenerator(for: "dates")
    for index in 0..<trials(50_000, long: 7_000_000) {
      let seconds = Self.instant(index, using: &generator)
      guard datesShown.contains(seconds), seconds != 0 else { continue }
      let written = Self.written(seconds)
      if bytes(written, parseDate)?.bitPattern != seconds.bitPattern {
        Issue.record("\(seconds) is written \(written)")
      }
      guard index % 16 == 0, let point = written.firstIndex(of: ".") else { continue }
      let shortest = seconds.magnitude.description
      if !shortest.contains("e") {
        #expect(written[point...].count - 2 == shortest.split(separator: ".").last?.count)
      }
    }
  }

  @Test(
    "A date in another form is refused.",
    arguments: [
      "", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00.0Z",
      "2001-01-01T00:00:00.10Z", "2001-01-01t00:00:00Z", "2001-01-01T00:00:00z",
      "2001-01-01T00:00:00+00:00", "2001-13-01T00:00:00Z", "2001-00-01T00:00:00Z",
      "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2001-01-00T00:00:00Z",
      "2001-01-32T00:00:00Z", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z",
      "2001-01-01T00:00:60Z", "0000-01-01T00:00:00Z", "2001-01-01 00:00:00Z",
      "2001-1-01T00:00:000Z", "2001-01-01T00:00:00.5ZZ", "2001-01-01T00:00:00.-5Z",
      "2001-01-01T00:00:00.300000000000000041Z", "2026-09-19T12:00:00.1234567891Z",
      "2001-01-01T00:00:00.30000000000000005551115123125782702Z",
    ]
  )
  func refused(_ text: String) {
    #expect(bytes(text, parseDate) == nil)
  }

  @Test("The years 4, 100, 400 and 2000 have the right leap days.")
  func leapDays() {
    for (year, isLeap) in [(4, true), (100, false), (400, true), (2000, true), (2100, false)] {
      #expect((CivilDate(year: year, month: 2, day: 29) != nil) == isLeap)
    }
  }
}
