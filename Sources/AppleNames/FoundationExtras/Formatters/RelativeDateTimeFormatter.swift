import Foundation

/// A formatter that writes how far away a date is, such as "2 days ago" or "tomorrow".
public final class RelativeDateTimeFormatter: Formatter, @unchecked Sendable {
  // The class is Sendable, like Apple's formatters: threads may share a formatter that no code
  // changes any more.

  /// Whether words such as "yesterday" are used.
  public enum DateTimeStyle: Int, Sendable {
    /// "1 day ago"
    case numeric
    /// "yesterday"
    case named
  }

  /// How units are written: as words such as "2 months ago", or shorter.
  public enum UnitsStyle: Int, Sendable {
    /// "2 months ago"
    case full
    /// "two months ago"
    case spellOut
    /// "2 mo. ago"
    case short
    /// "2 mo. ago"
    case abbreviated
  }

  /// Whether words such as "yesterday" are used.
  public var dateTimeStyle = DateTimeStyle.numeric
  /// How units are written; "2 months ago" by default.
  public var unitsStyle = UnitsStyle.full
  /// Where the text is used.
  ///
  /// At the beginning of a sentence, the text begins with a capital letter, such as "Yesterday".
  public var formattingContext = Formatter.Context.unknown
  /// The calendar that defines the lengths of months and years; the user's calendar by default.
  public var calendar = Calendar.autoupdatingCurrent
  /// The locale whose language is used.
  ///
  /// The default is the locale of the process.
  public var locale = Locale.autoupdatingCurrent

  /// Writes how far away a date is from another, in the largest unit that is not zero.
  public func localizedString(for date: Date, relativeTo referenceDate: Date) -> String {
    // Seconds are rounded, so a date in an hour is still "in 1 hour" if `referenceDate` is a little
    // later.
    let seconds = date.timeIntervalSince(referenceDate).rounded()
    let components = calendar.dateComponents(
      Set(TimeUnit.allCases.map(\.component)),
      from: referenceDate,
      to: referenceDate + seconds
    )
    return localizedString(from: components, isPast: seconds < 0)
  }

  /// Writes the distance to a time, given in seconds from now; a negative number is in the past.
  public func localizedString(fromTimeInterval timeInterval: TimeInterval) -> String {
    let now = Date()
    return localizedString(for: now + timeInterval, relativeTo: now)
  }

  /// Writes the largest of the components that is not zero.
  public func localizedString(from dateComponents: DateComponents) -> String {
    localizedString(from: dateComponents, isPast: false)
  }

  /// Writes how far away a date is from now; returns nil for any other object.
  public override func string(for obj: Any?) -> String? {
    (obj as? Date).map { localizedString(for: $0, relativeTo: Date()) }
  }

  private func localizedString(from components: DateComponents, isPast: Bool) -> String {
    let parts = TimeUnit.allCases.compactMap { unit in
      unit.value(in: components).map { TimePart(unit: unit, value: $0) }
    }
    let part =
      parts.first { $0.value != 0 } ?? parts.last ?? TimePart(unit: .second, value: 0)
    let value = part.value == 0 && isPast ? -0.0 : Double(part.value)
    return text(of: value, unit: part.unit) ?? ""
  }
}
