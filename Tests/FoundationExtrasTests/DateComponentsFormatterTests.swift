import Foundation
import FoundationExtras
import Testing

@Suite("DateComponentsFormatter")
struct DateComponentsFormatterTests {
  typealias Style = DateComponentsFormatter.UnitsStyle
  typealias Zeros = DateComponentsFormatter.ZeroFormattingBehavior

  private func formatter(
    _ style: Style,
    _ units: NSCalendar.Unit = [],
    zeros: Zeros = .default,
    language: String = "en_US"
  ) -> DateComponentsFormatter {
    let formatter = DateComponentsFormatter()
    formatter.calendar = Calendar(identifier: .gregorian)
    formatter.calendar?.locale = Locale(identifier: language)
    formatter.unitsStyle = style
    formatter.allowedUnits = units
    formatter.zeroFormattingBehavior = zeros
    return formatter
  }

  // The examples of Apple's documentation of each style.
  @Test(
    "Each style of DateComponentsFormatter writes what Apple documents.",
    arguments: [
      (Style.positional, "9:41:30", nil),
      (.abbreviated, "9h 41m 30s", "3y 9mo 26d 19h 17s"),
      (.short, "9 hr, 41 min, 30 sec", "3 yrs, 9 mths, 26 days, 19 hr, 17 sec"),
      (
        .full, "9 hours, 41 minutes, 30 seconds",
        "3 years, 9 months, 26 days, 19 hours, 17 seconds"
      ),
      (
        .spellOut, "nine hours, forty-one minutes, thirty seconds",
        "three years, nine months, twenty-six days, nineteen hours, seventeen seconds"
      ),
      (.brief, "9hr 41min 30sec", "3yrs 9mths 26days 19hr 17sec"),
    ] as [(Style, String, String?)]
  )
  func styles(style: Style, clock: String, dates: String?) {
    let units: NSCalendar.Unit = [.year, .month, .day, .hour, .minute, .second]
    let formatter = formatter(style, units)
    #expect(formatter.string(from: TimeInterval(9 * 3_600 + 41 * 60 + 30)) == clock)
    if let dates {
      let components = DateComponents(year: 3, month: 9, day: 26, hour: 19, second: 17)
      #expect(formatter.string(from: components) == dates)
      #expect(formatter.string(for: components) == dates)
    }
  }

  // The examples of Apple's documentation of each behavior.
  @Test(
    "The behavior of a formatter decides which units that are zero are omitted.",
    arguments: [
      (Zeros.default, 3_610, "1h 10s"),
      (.dropLeading, 600, "10m 0s"),
      (.dropMiddle, 3_605, "0d 1h 5s"),
      (.dropTrailing, 3_600, "0d 1h"),
      (.dropAll, 3_600, "1h"),
      (.pad, 3_600, "0d 1h 0m 0s"),
      (.dropAll, 0, "0s"),
    ]
  )
  func zeros(zeros: Zeros, seconds: Int, text: String) {
    let formatter = formatter(.abbreviated, [.day, .hour, .minute, .second], zeros: zeros)
    #expect(formatter.string(from: TimeInterval(seconds)) == text)
  }

  @Test(
    "The positional style omits leading zeros unless it pads them.",
    arguments: [
      (Zeros.default, 3_610, "1:00:10"), (.default, 65, "1:05"), (.default, 5, "5"),
      (.pad, 3_610, "01:00:10"), (.pad, 65, "00:01:05"), (.default, -95, "-1:35"),
    ]
  )
  func positions(zeros: Zeros, seconds: Int, text: String) {
    let formatter = formatter(.positional, [.hour, .minute, .second], zeros: zeros)
    #expect(formatter.string(from: TimeInterval(seconds)) == text)
  }

  @Test("A formatter uses only the allowed units, and at most the maximum number.")
  func units() {
    #expect(formatter(.full, [.minute]).string(from: 5_400) == "90 minutes")
    #expect(formatter(.full, [.weekOfMonth, .day]).string(from: 86_400 * 9) == "1 week, 2 days")
    let short = formatter(.abbreviated)
    short.maximumUnitCount = 2
    #expect(short.string(from: 4_230) == "1h 10m")
    #expect(formatter(.full, [.era]).string(from: 60) == nil)
  }

  @Test("A formatter counts the time between two dates by its calendar.")
  func dates() throws {
    let formatter = formatter(.full, [.month, .day])
    formatter.calendar?.timeZone = try #require(TimeZone(identifier: "Europe/Oslo"))
    let start = try Date("2027-02-01T00:00:00+01:00", strategy: .iso8601)
    let end = try Date("2027-04-03T00:00:00+02:00", strategy: .iso8601)
    #expect(formatter.string(from: start, to: end) == "2 months, 2 days")
  }

  @Test("A formatter writes the language of its calendar's locale.")
  func language() {
    let time = TimeInterval(3_600 + 600)
    #expect(formatter(.full, language: "de_DE").string(from: time) == "1 Stunde und 10 Minuten")
    #expect(formatter(.spellOut, language: "fr_FR").string(from: 120) == "deux minutes")
    // ICU spells a number in the same way before any noun.
    let german = formatter(.spellOut, language: "de_DE").string(from: time)
    #expect(german == "eins Stunde und zehn Minuten")
  }
}
