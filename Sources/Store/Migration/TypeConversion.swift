import Format

/// A conversion of stored values from one type to another without a loss.
enum TypeConversion {
  /// The two types store a value in the same way.
  case none
  case integerToReal
  case integerToDecimal

  /// The conversion between two types; nil if values would be lost or change their meaning.
  init?(from old: ValueType, to new: ValueType) {
    if old == new || old.widerTypes.contains(new) {
      self = .none
      return
    }
    guard old.isInteger, let integers = old.form.integers else { return nil }
    if new == .decimal {
      self = .integerToDecimal
      return
    }
    guard old != .uint64 else { return nil }
    if let largest = new.largestExactInteger {
      guard integers.upperBound <= largest else { return nil }
      self = .integerToReal
    } else {
      guard new.isInteger, let wider = new.form.integers,
        integers.lowerBound >= wider.lowerBound, integers.upperBound <= wider.upperBound
      else { return nil }
      self = .none
    }
  }

  func sql(_ expression: String) -> String {
    switch self {
    case .none: expression
    case .integerToReal: "CAST(\(expression) AS REAL)"
    // A UInt64 above Int64.max is stored as a text of twenty digits. Zeros at its beginning are
    // removed.
    case .integerToDecimal:
      "ltrim(CAST(\(expression) AS TEXT), CASE typeof(\(expression))"
        + " WHEN 'text' THEN '0' ELSE '' END)"
    }
  }
}

/// Converts a stored value as a migration does; nil if a migration can't convert it.
package func converted(_ value: Value, from old: ValueType, to new: ValueType) -> Value? {
  guard let conversion = TypeConversion(from: old, to: new) else { return nil }
  switch (conversion, value) {
  case (.integerToReal, .integer(let number)): return .real(Double(number))
  case (.integerToDecimal, .integer(let number)): return .text(String(number))
  case (.integerToDecimal, .text(let digits)): return .text(String(digits.drop { $0 == "0" }))
  default: return value
  }
}
