import FoundationEssentials

extension ValueType where Value == Duration {
  /// A length of time with a unit, or 0: `90s`, `5m`, `2h`, `7d`, `500ms`.
  package static let duration = ValueType(
    placeholder: "DURATION",
    forms: "a duration such as 90s, 5m, 2h or 7d",
    hint: { hintOfUnit($0, units: ["s", "m", "h", "d"]) },
    parse: duration(of:)
  )
}

extension ValueType where Value == Int64 {
  /// A number of bytes with a unit: `4096B`, `64KiB`, `10MiB`, `1GiB`.
  package static func size(from least: Int64, name: String) -> ValueType {
    ValueType(
      placeholder: "SIZE",
      forms: "a size such as 10MiB or 1GiB, at least \(name)",
      hint: { hintOfUnit($0, units: ["KiB", "MiB", "GiB"]) }
    ) { text in
      guard let (number, unit) = numberAndUnit(text) else { return nil }
      let factors: [String: Int64] = ["B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]
      guard let factor = factors[unit] else { return nil }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
      return isTooLarge || product < least ? nil : product
    }
  }
}

extension ValueType where Value == Date {
  /// A day, which begins at midnight UTC, or an instant: `2026-03-01`, `2026-03-01T08:30:00Z`.
  package static let date = ValueType(
    placeholder: "DATE",
    forms: "a day such as 2026-03-01 or a time such as 2026-03-01T08:30:00Z",
    parse: date(of:)
  )
}

extension Duration {
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}

private func numberAndUnit(_ text: String) -> (Int64, String)? {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  guard let number = Int64(digits) else { return nil }
  return (number, String(text[digits.endIndex...]))
}

/// For a number without a unit, a text with a unit to suggest instead; nil for any other text.
private func hintOfUnit(_ text: String, units: [String]) -> String? {
  guard let (number, unit) = numberAndUnit(text), unit.isEmpty else { return nil }
  return "A unit is missing: \(alternatives(units.map { "\(number)\($0)" }))."
}

private func duration(of text: String) -> Duration? {
  if text == "0" { return .zero }
  guard let (number, unit) = numberAndUnit(text) else { return nil }
  if unit == "ms" { return .milliseconds(number) }
  let factors: [String: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
  guard let factor = factors[unit] else { return nil }
  let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
  return isTooLarge ? nil : .seconds(product)
}

private func date(of text: String) -> Date? {
  let bytes = Array(text.utf8)
  guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else {
    return nil
  }
  let instant = bytes.count == 10 ? text + "T00:00:00Z" : text
  let hasFraction = instant.contains(".")
  // Foundation's error is not used, because the usage error explains more.
  let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction).parse(instant)
  guard let date else { return nil }
  // Foundation reads the 30th of February as a day in March, so the days are compared.
  return date.formatted(.iso8601.year().month().day()) == text.prefix(10)
    || !instant.hasSuffix("Z") ? date : nil
}
