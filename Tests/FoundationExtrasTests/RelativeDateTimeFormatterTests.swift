import Foundation
import FoundationExtras
import Testing

@Suite("RelativeDateTimeFormatter")
struct RelativeDateTimeFormatterTests {
  private func formatter(
    _ units: RelativeDateTimeFormatter.UnitsStyle = .full,
    _ style: RelativeDateTimeFormatter.DateTimeStyle = .numeric,
    language: String = "en_US"
  ) -> RelativeDateTimeFormatter {
    let formatter = RelativeDateTimeFormatter()
    formatter.locale = Locale(identifier: language)
    formatter.calendar = Calendar(identifier: .gregorian)
    formatter.unitsStyle = units
    formatter.dateTimeStyle = style
    return formatter
  }

  // The examples of Apple's documentation.
  @Test("Each style of RelativeDateTimeFormatter writes what Apple documents.")
  func styles() {
    let months = DateComponents(month: -2)
    #expect(formatter(.full).localizedString(from: months) == "2 months ago")
    #expect(formatter(.spellOut).localizedString(from: months) == "two months ago")
    #expect(formatter(.short).localizedString(from: months) == "2 mo. ago")
    #expect(formatter(.abbreviated).localizedString(from: months) == "2 mo. ago")
    #expect(formatter().localizedString(from: DateComponents(day: -2)) == "2 days ago")
    #expect(formatter().localizedString(fromTimeInterval: -120) == "2 minutes ago")
    #expect(formatter().localizedString(from: DateComponents(weekOfMonth: 2)) == "in 2 weeks")
  }

  @Test("The named style of relative dates has names for near dates.")
  func names() {
    let named = formatter(.full, .named)
    #expect(named.localizedString(from: DateComponents(day: -1)) == "yesterday")
    #expect(named.localizedString(from: DateComponents(day: 1)) == "tomorrow")
    #expect(named.localizedString(fromTimeInterval: 0) == "now")
    #expect(formatter().localizedString(fromTimeInterval: 0) == "in 0 seconds")
    named.formattingContext = .beginningOfSentence
    #expect(named.localizedString(from: DateComponents(day: -1)) == "Yesterday")
  }

  @Test("A relative date has the largest unit that is not zero.")
  func largestUnit() {
    let now = Date()
    #expect(formatter().localizedString(for: now - 5_400, relativeTo: now) == "1 hour ago")
    #expect(formatter().localizedString(for: now + 3_599.999, relativeTo: now) == "in 1 hour")
    #expect(formatter().localizedString(for: now - 86_400 * 15, relativeTo: now) == "2 weeks ago")
    #expect(formatter().string(for: now - 7_201) == "2 hours ago")
    #expect(formatter().string(for: "now") == nil)
  }

  @Test("Relative dates are written in other languages.")
  func language() {
    let german = formatter(.full, .named, language: "de_DE")
    #expect(german.localizedString(from: DateComponents(day: -2)) == "vorgestern")
    #expect(german.localizedString(from: DateComponents(month: -3)) == "vor 3 Monaten")
  }
}
