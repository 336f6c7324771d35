// Finds the shortest digits of common numbers without a search.
//
// A decimal number of at most fifteen significant digits and its nearest double determine each
// other. So if a double is the nearest one to such a decimal number, this number is the double's
// shortest text: no other text of the same length is read as the same double.

/// A non-negative number as `mantissa / 10^scale`, with no zero at the end of the fraction.
struct ShortDecimal {
  var mantissa: UInt64
  var scale: Int

  /// The divisors of a mantissa: powers of ten that a double represents exactly.
  static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// The smallest number with more than fifteen digits.
  static let limit: UInt64 = 1_000_000_000_000_000

  /// The shortest decimal of a number that has at most six fraction digits.
  init?(sixDigits magnitude: Double) {
    let scaled = (magnitude * 1e6).rounded()
    guard scaled < 1e15, scaled / 1e6 == magnitude else { return nil }
    mantissa = UInt64(scaled)
    scale = 6
    while scale > 0, mantissa % 10 == 0 {
      mantissa /= 10
      scale -= 1
    }
  }

  /// A decimal number from the digits before and after the point; nil if there are too many digits
  /// for an exact result.
  init?(integer: UInt64, fraction: some Collection<UInt8>) {
    let count = fraction.count
    guard integer < Self.limit, count <= 15, let digits = digitsValue(fraction) else { return nil }
    let power = UInt64(Self.powers[count])
    let (product, overflow) = integer.multipliedReportingOverflow(by: power)
    guard !overflow, product < Self.limit, product + digits < Self.limit else { return nil }
    mantissa = product + digits
    scale = count
  }

  /// The nearest double, which is the exact result of one division.
  var double: Double { Double(mantissa) / Self.powers[scale] }

  /// The part of the number before the point.
  var integer: UInt64 { mantissa / UInt64(Self.powers[scale]) }

  /// The digits after the point, as a number of ``scale`` digits.
  var fraction: UInt64 { mantissa % UInt64(Self.powers[scale]) }
}
