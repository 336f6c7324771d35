import Changes

/// A conversion of stored values from one type to another without a loss.
enum TypeConversion {
  /// The two types store a value in the same way.
  case none
  case integerToReal
  case integerToDecimal

  /// The conversion between two types; nil if values would be lost or change their meaning.
  init?(from old: ValueType, to new: ValueType) {
    if old == new {
      self = .none
      return
    }
    switch (old, new) {
    case (.float16, .float), (.float16, .double), (.float, .double),
      (.uuid, .string), (.url, .string), (.decimal, .string):
      self = .none
    case (_, .decimal) where old.isNumber: self = .integerToDecimal
    case (_, .float16), (_, .float), (_, .double):
      guard old.isNumber, let integers = old.integers, old != .uint64,
        integers.upperBound <= new.largestExactInteger
      else { return nil }
      self = .integerToReal
    default:
      guard old.isNumber, new.isNumber, let integers = old.integers, let wider = new.integers,
        old != .uint64, integers.lowerBound >= wider.lowerBound,
        integers.upperBound <= wider.upperBound
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

extension ValueType {
  /// Whether the type is an integer type.
  ///
  /// Bool is not an integer type, although SQLite stores a Bool as an integer.
  fileprivate var isNumber: Bool { self != .bool && integers != nil }

  /// The highest integer up to which the type can represent each integer exactly.
  fileprivate var largestExactInteger: Int64 {
    switch self {
    case .float16: 1 << 11
    case .float: 1 << 24
    case .double: 1 << 53
    default: 0
    }
  }
}
