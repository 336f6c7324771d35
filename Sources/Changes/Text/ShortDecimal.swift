// Shortest digits without a search, for the numbers that people write down.
//
// Up to fifteen significant digits a decimal and the double nearest to it determine each other:
// so when a double is the nearest one to some decimal of at most fifteen digits, that decimal is
// its shortest text, and no other of that length comes back as the same double.

/// A non-negative number as `mantissa / 10^scale`, with no zero at the end of the fraction.
struct ShortDecimal {
  var mantissa: UInt64
  var scale: Int

  /// The powers of ten that a double holds exactly and that a short mantissa is divided by.
  static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// The least number with more than fifteen digits.
  static let limit: UInt64 = 1_000_000_000_000_000

  /// Finds the shortest decimal of a number that has at most six fraction digits.
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

  /// Takes the digits before and after the point; nil when they are too many to be sure.
  init?(integer: UInt64, fraction: some Collection<UInt8>) {
    let count = fraction.count
    guard integer < Self.limit, count <= 15, let digits = digitsValue(fraction) else { return nil }
    let power = UInt64(Self.powers[count])
    let (product, overflow) = integer.multipliedReportingOverflow(by: power)
    guard !overflow, product < Self.limit, product + digits < Self.limit else { return nil }
    mantissa = product + digits
    scale = count
  }

  /// The double nearest to it, which one exact division finds.
  var double: Double { Double(mantissa) / Self.powers[scale] }

  /// The whole part.
  var integer: UInt64 { mantissa / UInt64(Self.powers[scale]) }

  /// The digits after the point, as a number of ``scale`` digits.
  var fraction: UInt64 { mantissa % UInt64(Self.powers[scale]) }
}
