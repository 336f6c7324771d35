import Foundation

/// How an integer is written in the log, such as `.hex` in `\(address, format: .hex)`.
public struct OSLogIntegerFormatting: Equatable, Sendable {
  var radix = 10
  var explicitPositiveSign = false
  var includePrefix = false
  var uppercase = false
  var minDigits = 1

  /// In decimal, without leading zeros and without a plus sign.
  public static let decimal = OSLogIntegerFormatting()
  /// In hexadecimal, with lower-case letters and without a prefix.
  public static let hex = OSLogIntegerFormatting(radix: 16)
  /// In octal, without a prefix.
  public static let octal = OSLogIntegerFormatting(radix: 8)

  /// In decimal, optionally with a plus sign if the number is not negative, and with a minimum
  /// number of digits.
  public static func decimal(
    explicitPositiveSign: Bool = false,
    minDigits: Int = 1
  ) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(explicitPositiveSign: explicitPositiveSign, minDigits: minDigits)
  }

  /// In hexadecimal, optionally with the prefix "0x", upper-case letters and a minimum number of
  /// digits.
  public static func hex(
    explicitPositiveSign: Bool = false,
    includePrefix: Bool = false,
    uppercase: Bool = false,
    minDigits: Int = 1
  ) -> OSLogIntegerFormatting {
    var result = decimal(explicitPositiveSign: explicitPositiveSign, minDigits: minDigits)
    (result.radix, result.includePrefix, result.uppercase) = (16, includePrefix, uppercase)
    return result
  }

  /// In octal, optionally with the prefix "0" and a minimum number of digits.
  public static func octal(
    explicitPositiveSign: Bool = false,
    includePrefix: Bool = false,
    uppercase: Bool = false,
    minDigits: Int = 1
  ) -> OSLogIntegerFormatting {
    var result = decimal(explicitPositiveSign: explicitPositiveSign, minDigits: minDigits)
    (result.radix, result.includePrefix, result.uppercase) = (8, includePrefix, uppercase)
    return result
  }

  func text(_ number: some FixedWidthInteger) -> String {
    let digits = String(number.magnitude, radix: radix, uppercase: uppercase)
    let zeros = String(repeating: "0", count: max(0, minDigits - digits.count))
    let prefix = includePrefix ? (radix == 16 ? "0x" : "0") : ""
    let sign = number < 0 ? "-" : explicitPositiveSign ? "+" : ""
    return sign + prefix + zeros + digits
  }
}

/// How a number with a fraction is written in the log, such as `.fixed(precision: 2)`.
public struct OSLogFloatFormatting: Equatable, Sendable {
  var conversion = "f"
  var precision: Int?
  var explicitPositiveSign = false

  /// With six digits after the point.
  public static let fixed = OSLogFloatFormatting()
  /// With an exponent, such as "1.500000e+03".
  public static let exponential = OSLogFloatFormatting(conversion: "e")
  /// With or without an exponent, whichever is shorter.
  public static let hybrid = OSLogFloatFormatting(conversion: "g")
  /// In hexadecimal, such as "0x1.8p+1".
  ///
  /// No digits are lost.
  public static let hex = OSLogFloatFormatting(conversion: "a")

  /// With a fixed number of digits after the point, such as "3.14" with two digits.
  public static func fixed(
    precision: Int = 6,
    explicitPositiveSign: Bool = false
  ) -> OSLogFloatFormatting {
    OSLogFloatFormatting(precision: precision, explicitPositiveSign: explicitPositiveSign)
  }

  /// With an exponent and a fixed number of digits after the point, such as "3.14e+00" with two
  /// digits.
  public static func exponential(
    precision: Int = 6,
    explicitPositiveSign: Bool = false
  ) -> OSLogFloatFormatting {
    OSLogFloatFormatting(
      conversion: "e",
      precision: precision,
      explicitPositiveSign: explicitPositiveSign
    )
  }

  func text(_ number: Double) -> String {
    let sign = explicitPositiveSign ? "+" : ""
    let digits = precision.map { "." + String(max(0, $0)) } ?? ""
    return String(format: "%" + sign + digits + conversion, number)
  }
}

/// The words for a Boolean, such as "yes" and "no".
public enum OSLogBoolFormat: Sendable {
  /// The words "true" and "false", the default.
  case truth
  /// The words yes and no.
  case answer
}

/// The alignment of a value in a column of a minimum width.
///
/// Longer values are not cut.
public struct OSLogStringAlignment: Equatable, Sendable {
  var columns = 0
  var isRight = false

  /// No alignment: a value has its own width.
  public static let none = OSLogStringAlignment()

  /// At the left of a column of this width.
  ///
  /// A value that is longer than the column is not cut.
  public static func left(columns: Int) -> OSLogStringAlignment {
    OSLogStringAlignment(columns: columns)
  }

  /// At the right of a column of this width.
  ///
  /// A value that is longer than the column is not cut.
  public static func right(columns: Int) -> OSLogStringAlignment {
    OSLogStringAlignment(columns: columns, isRight: true)
  }

  func text(_ text: String) -> String {
    let blanks = String(repeating: " ", count: max(0, columns - text.count))
    return isRight ? blanks + text : text + blanks
  }
}
