import Foundation

/// A formatter that writes lengths of time, such as "1 hour, 10 minutes" or "1:10:00".
///
/// ```swift
/// let formatter = DateComponentsFormatter()
/// formatter.allowedUnits = [.hour, .minute]
/// formatter.unitsStyle = .full
/// formatter.string(from: 4_200)  // "1 hour, 10 minutes"
/// ```
public final class DateComponentsFormatter: Formatter, @unchecked Sendable {
  // The class is Sendable, as in Apple's documentation: threads may share a formatter that no code
  // changes any more.

  /// How numbers and units are written, such as "9:41:30" or "9h 41m 30s".
  public enum UnitsStyle: Int, Sendable {
    /// "9:41:30"
    case positional
    /// "9h 41m 30s"
    case abbreviated
    /// "9 hr, 41 min, 30 sec"
    case short
    /// "9 hours, 41 minutes, 30 seconds"
    case full
    /// "nine hours, forty-one minutes, thirty seconds"
    case spellOut
    /// "9hr 41min 30sec"
    case brief
  }

  /// Which units with the value zero are omitted.
  ///
  /// Leading zeros of "0:05:30" are omitted by default: "5:30".
  public struct ZeroFormattingBehavior: OptionSet, Sendable {
    /// The bits of the options.
    ///
    /// The bits have the same values as on Apple's systems.
    public let rawValue: UInt

    /// Creates a set of options from its bits.
    ///
    /// Unknown bits are ignored.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Omits leading zeros in the positional style, and all zeros in the other styles.
    public static let `default` = ZeroFormattingBehavior(rawValue: 1)
    /// Omits zeros before the first value that is not zero.
    public static let dropLeading = ZeroFormattingBehavior(rawValue: 2)
    /// Omits zeros between values that are not zero.
    public static let dropMiddle = ZeroFormattingBehavior(rawValue: 4)
    /// Omits zeros after the last value that is not zero.
    public static let dropTrailing = ZeroFormattingBehavior(rawValue: 8)
    /// Omits all zeros.
    public static let dropAll: ZeroFormattingBehavior = [.dropLeading, .dropMiddle, .dropTrailing]
    /// Omits no zeros; in the positional style, each number has at least two digits.
    public static let pad = ZeroFormattingBehavior(rawValue: 1 << 16)
  }

  /// The units to use; an empty set allows all units from years to seconds.
  public var allowedUnits: NSCalendar.Unit = []
  /// How numbers and units are written; "9:41:30" by default.
  public var unitsStyle = UnitsStyle.positional
  /// Which units with the value zero are omitted.
  ///
  /// The default depends on `unitsStyle`.
  public var zeroFormattingBehavior = ZeroFormattingBehavior.default
  /// The calendar that defines the lengths of months and years; its locale determines the language.
  public var calendar: Calendar? = .autoupdatingCurrent
  /// The date from which months and years are counted; nil means 1 January 2001.
  public var referenceDate: Date?
  /// The maximum number of units to write, starting with the largest; zero means any number.
  public var maximumUnitCount = 0

  /// Writes a number of seconds: 3661 is "1:01:01".
  ///
  /// Fractions of a second are not written.
  public func string(from interval: TimeInterval) -> String? {
    let start = referenceDate ?? Date(timeIntervalSinceReferenceDate: 0)
    return string(from: start, to: start + interval, calendar: universal)
  }

  /// Writes the time from one date to another.
  ///
  /// Months and years are counted with the calendar, so their lengths are not always the same.
  public func string(from startDate: Date, to endDate: Date) -> String? {
    string(from: startDate, to: endDate, calendar: ownCalendar)
  }

  /// Writes the sum of the components: 90 minutes are written as "1:30:00".
  public func string(from components: DateComponents) -> String? {
    let start = referenceDate ?? Date(timeIntervalSinceReferenceDate: 0)
    guard let end = universal.date(byAdding: components, to: start) else { return nil }
    return string(from: start, to: end, calendar: universal)
  }

  /// Writes the sum of the components in a style.
  ///
  /// All other properties of the formatter have their defaults.
  public static func localizedString(
    from components: DateComponents,
    unitsStyle: UnitsStyle
  ) -> String? {
    let formatter = DateComponentsFormatter()
    formatter.unitsStyle = unitsStyle
    return formatter.string(from: components)
  }

  /// Writes components; returns nil for any other object.
  public override func string(for obj: Any?) -> String? {
    (obj as? DateComponents).flatMap(string(from:))
  }

  private var ownCalendar: Calendar { calendar ?? .autoupdatingCurrent }

  /// A calendar in GMT, because a number of seconds does not depend on daylight saving time.
  private var universal: Calendar {
    var calendar = ownCalendar
    calendar.timeZone = .gmt
    return calendar
  }

  private func string(from start: Date, to end: Date, calendar: Calendar) -> String? {
    let units = TimeUnit.allCases.filter {
      allowedUnits.isEmpty || !allowedUnits.isDisjoint(with: $0.names)
    }
    let components = calendar.dateComponents(Set(units.map(\.component)), from: start, to: end)
    let values = units.map { TimePart(unit: $0, value: $0.value(in: components) ?? 0) }
    var parts = withoutZeros(values)
    if maximumUnitCount > 0 { parts = Array(parts.prefix(maximumUnitCount)) }
    guard !parts.isEmpty else { return nil }
    let locale = ownCalendar.locale.flatMap { $0.identifier.isEmpty ? nil : $0 } ?? .current
    let signed = withOneSign(parts)
    return unitsStyle == .positional
      ? positions(of: signed, locale: locale) : unitsStyle.text(of: signed, locale: locale)
  }

  private func withoutZeros(_ parts: [TimePart]) -> [TimePart] {
    var dropped = zeroFormattingBehavior
    if dropped.contains(.default) {
      dropped = unitsStyle == .positional ? .dropLeading : .dropAll
    }
    guard let first = parts.firstIndex(where: { $0.value != 0 }),
      let last = parts.lastIndex(where: { $0.value != 0 })
    else {
      return dropped.isDisjoint(with: [.dropLeading, .dropTrailing]) ? parts : parts.suffix(1)
    }
    return parts.enumerated().compactMap { place, part in
      let option: ZeroFormattingBehavior =
        place < first ? .dropLeading : place > last ? .dropTrailing : .dropMiddle
      return part.value == 0 && dropped.contains(option) ? nil : part
    }
  }

  /// Removes the minus sign of all parts except the first part that is not zero, as in "-1:30:00".
  private func withOneSign(_ parts: [TimePart]) -> [TimePart] {
    let first = parts.firstIndex { $0.value != 0 }
    return parts.enumerated().map { place, part in
      TimePart(unit: part.unit, value: place == first ? part.value : abs(part.value))
    }
  }

  private func positions(of parts: [TimePart], locale: Locale) -> String? {
    let dated = parts.filter { ![.hour, .minute, .second].contains($0.unit) }
    let clock = parts.dropFirst(dated.count).enumerated().map { place, part in
      let isPadded = place > 0 || (dated.isEmpty && zeroFormattingBehavior.contains(.pad))
      return part.value.formatted(
        .number.locale(locale).grouping(.never).precision(.integerLength((isPadded ? 2 : 1)...))
      )
    }
    var texts = clock.isEmpty ? [] : [clock.joined(separator: ":")]
    if !dated.isEmpty {
      guard let text = UnitsStyle.abbreviated.text(of: dated, locale: locale) else { return nil }
      texts.insert(text, at: 0)
    }
    return texts.joined(separator: " ")
  }
}
