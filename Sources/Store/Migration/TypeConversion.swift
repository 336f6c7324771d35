import Changes

/// The conversion of stored values from one type to another without loss.
enum TypeConversion {
  /// The stored values are the same.
  case none
  case integerToReal
  case integerToDecimal

  /// Nil if values would be lost or change their meaning.
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

  /// The SQL that converts an expression.
  func sql(_ expression: String) -> String {
    switch self {
    case .none: expression
    case .integerToReal: "CAST(\(expression) AS REAL)"
    // A UInt64 above Int64.max is a text of twenty digits, which can begin with zero.
    case .integerToDecimal:
      "ltrim(CAST(\(expression) AS TEXT), CASE typeof(\(expression))"
        + " WHEN 'text' THEN '0' ELSE '' END)"
    }
  }
}

/// Converts a stored value as a migration does; nil for types that a migration does not convert.
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
  /// Whether it is an integer type; a Bool is not, although it is stored as an integer.
  fileprivate var isNumber: Bool { self != .bool && integers != nil }

  /// The integer up to which all integers are exact.
  fileprivate var largestExactInteger: Int64 {
    switch self {
    case .float16: 1 << 11
    case .float: 1 << 24
    case .double: 1 << 53
    default: 0
    }
  }
}
