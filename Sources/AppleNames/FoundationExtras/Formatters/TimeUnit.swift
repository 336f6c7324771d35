import Foundation
internal import _FoundationICU

/// The units of time that formatters write, from the largest to the smallest.
enum TimeUnit: CaseIterable {
  case year, month, week, day, hour, minute, second

  var component: Calendar.Component {
    switch self {
    case .year: .year
    case .month: .month
    case .week: .weekOfMonth
    case .day: .day
    case .hour: .hour
    case .minute: .minute
    case .second: .second
    }
  }

  var names: NSCalendar.Unit {
    switch self {
    case .year: .year
    case .month: .month
    case .week: [.weekOfMonth, .weekOfYear]
    case .day: .day
    case .hour: .hour
    case .minute: .minute
    case .second: .second
    }
  }

  /// The value of the unit in the components; nil if the components have no such value.
  func value(in components: DateComponents) -> Int? {
    if self == .week { return components.weekOfMonth ?? components.weekOfYear }
    return components.value(for: component)
  }

  fileprivate var measured: UAMeasureUnit {
    switch self {
    case .year: UAMEASUNIT_DURATION_YEAR
    case .month: UAMEASUNIT_DURATION_MONTH
    case .week: UAMEASUNIT_DURATION_WEEK
    case .day: UAMEASUNIT_DURATION_DAY
    case .hour: UAMEASUNIT_DURATION_HOUR
    case .minute: UAMEASUNIT_DURATION_MINUTE
    case .second: UAMEASUNIT_DURATION_SECOND
    }
  }

  fileprivate var relative: URelativeDateTimeUnit {
    switch self {
    case .year: UDAT_REL_UNIT_YEAR
    case .month: UDAT_REL_UNIT_MONTH
    case .week: UDAT_REL_UNIT_WEEK
    case .day: UDAT_REL_UNIT_DAY
    case .hour: UDAT_REL_UNIT_HOUR
    case .minute: UDAT_REL_UNIT_MINUTE
    case .second: UDAT_REL_UNIT_SECOND
    }
  }
}

/// A number with a unit of time, such as 3 days.
struct TimePart {
  let unit: TimeUnit
  let value: Int
}

extension DateComponentsFormatter.UnitsStyle {
  private var width: UAMeasureFormatWidth {
    switch self {
    case .positional, .abbreviated: UAMEASFMT_WIDTH_NARROW
    case .brief: UAMEASFMT_WIDTH_SHORTER
    case .short: UAMEASFMT_WIDTH_SHORT
    case .full, .spellOut: UAMEASFMT_WIDTH_WIDE
    }
  }

  func text(of parts: [TimePart], locale: Locale) -> String? {
    var status = U_ZERO_ERROR
    // `uameasfmt_open` takes ownership of the number format.
    let numbers = self == .spellOut ? spelledNumbers(locale) : nil
    let format = uameasfmt_open(locale.identifier, width, numbers, &status)
    defer { uameasfmt_close(format) }
    guard self != .spellOut else {
      // Each part is formatted separately, because ICU would spell out only the last number of a
      // list.
      let texts = parts.compactMap { part in
        unicodeText {
          uameasfmt_format(format, Double(part.value), part.unit.measured, $0, $1, $2)
        }
      }
      return texts.count == parts.count ? list(texts, locale: locale) : nil
    }
    let measures = parts.map { UAMeasure(value: Double($0.value), unit: $0.unit.measured) }
    return unicodeText {
      uameasfmt_formatMultiple(format, measures, Int32(measures.count), $0, $1, $2)
    }
  }

  private func list(_ texts: [String], locale: Locale) -> String? {
    var status = U_ZERO_ERROR
    let format = swift_ulistfmt_openForType(
      locale.identifier,
      ULISTFMT_TYPE_UNITS,
      ULISTFMT_WIDTH_WIDE,
      &status
    )
    defer { swift_ulistfmt_close(format) }
    let lengths = texts.map { Int32($0.utf16.count) }
    return texts.flatMap { Array($0.utf16) }.withUnsafeBufferPointer { units in
      var start = units.baseAddress
      var starts: [UnsafePointer<UChar>?] = []
      for length in lengths {
        starts.append(start)
        start = start?.advanced(by: Int(length))
      }
      return unicodeText {
        swift_ulistfmt_format(format, starts, lengths, Int32(lengths.count), $0, $1, $2)
      }
    }
  }
}

extension RelativeDateTimeFormatter {
  /// "in 3 days" or "3 days ago"; in the named style, "yesterday" if the language has such a word.
  func text(of value: Double, unit: TimeUnit) -> String? {
    var status = U_ZERO_ERROR
    let format = swift_ureldatefmt_open(
      locale.identifier,
      unitsStyle == .spellOut ? spelledNumbers(locale) : nil,
      unitsStyle == .full || unitsStyle == .spellOut ? UDAT_STYLE_LONG : UDAT_STYLE_SHORT,
      capitalization,
      &status
    )
    defer { swift_ureldatefmt_close(format) }
    return unicodeText {
      dateTimeStyle == .named
        ? swift_ureldatefmt_format(format, value, unit.relative, $0, $1, $2)
        : swift_ureldatefmt_formatNumeric(format, value, unit.relative, $0, $1, $2)
    }
  }

  private var capitalization: UDisplayContext {
    switch formattingContext {
    case .standalone: UDISPCTX_CAPITALIZATION_FOR_STANDALONE
    case .listItem: UDISPCTX_CAPITALIZATION_FOR_UI_LIST_OR_MENU
    case .beginningOfSentence: UDISPCTX_CAPITALIZATION_FOR_BEGINNING_OF_SENTENCE
    case .middleOfSentence: UDISPCTX_CAPITALIZATION_FOR_MIDDLE_OF_SENTENCE
    default: UDISPCTX_CAPITALIZATION_NONE
    }
  }
}

/// A number format that writes numbers as words.
///
/// The measure format that receives the number format also closes it.
private func spelledNumbers(_ locale: Locale) -> UnsafeMutablePointer<UNumberFormat?>? {
  var status = U_ZERO_ERROR
  return swift_unum_open(UNUM_SPELLOUT, nil, 0, locale.identifier, nil, &status)
}
