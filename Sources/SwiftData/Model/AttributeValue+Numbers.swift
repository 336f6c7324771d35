import Format
import Store

/// The text that represents NaN, which SQLite can't store as a number.
let notANumber = "NaN"

/// The integer types of the standard library.
public protocol _StoredInteger: FixedWidthInteger, _AttributeValue {}

extension _StoredInteger {
  /// The stored type, which depends on the width of the integers and on whether they have a sign.
  public static var _valueType: ValueType {
    switch bitWidth {
    case 8: isSigned ? .int8 : .uint8
    case 16: isSigned ? .int16 : .uint16
    case 32: isSigned ? .int32 : .uint32
    default: isSigned ? .int64 : .uint64
    }
  }
  /// The integer in its stored form.
  ///
  /// Values above `Int64.max` are texts of twenty digits, which SQLite sorts after all integers.
  public var _stored: Value {
    if let integer = Int64(exactly: self) { return .integer(integer) }
    let digits = String(self)
    return .text(String(repeating: "0", count: 20 - digits.utf8.count) + digits)
  }
  /// The integer; nil if the type is too small for it.
  public static func _load(_ stored: Value) -> Self? {
    switch stored {
    case .integer(let integer): Self(exactly: integer)
    case .text(let digits) where Self.max > Int64.max && digits.utf8.count == 20: Self(digits)
    default: nil
    }
  }
}

extension Int: _StoredInteger {
  /// The integer without a conversion.
  public var _stored: Value { .integer(Int64(self)) }
  /// The integer without a conversion; nil if the stored form is not an integer.
  public static func _load(_ stored: Value) -> Int? {
    guard case .integer(let integer) = stored else { return nil }
    return Int(integer)
  }
}
extension Int8: _StoredInteger {}
extension Int16: _StoredInteger {}
extension Int32: _StoredInteger {}
extension Int64: _StoredInteger {}
extension UInt: _StoredInteger {}
extension UInt8: _StoredInteger {}
extension UInt16: _StoredInteger {}
extension UInt32: _StoredInteger {}
extension UInt64: _StoredInteger {}

extension Double: _AttributeValue {
  /// The stored type of 64-bit floating-point numbers.
  public static var _valueType: ValueType { .double }
  /// The number; NaN is stored as the text `NaN`.
  public var _stored: Value { isNaN ? .text(notANumber) : .real(self) }
  /// The number, or NaN for the text `NaN`; nil for other stored forms.
  public static func _load(_ stored: Value) -> Double? {
    switch stored {
    case .real(let real): real
    case .integer(let integer): Double(integer)
    case .text(notANumber): .nan
    default: nil
    }
  }
}
extension Float: _AttributeValue {
  /// The stored type of 32-bit floating-point numbers.
  public static var _valueType: ValueType { .float }
  /// The number; NaN is stored as the text `NaN`.
  public var _stored: Value { Double(self)._stored }
  /// The number, or NaN for the text `NaN`; nil for other stored forms.
  public static func _load(_ stored: Value) -> Float? { Double._load(stored).map { Float($0) } }
}
extension Float16: _AttributeValue {
  /// The stored type of 16-bit floating-point numbers.
  public static var _valueType: ValueType { .float16 }
  /// The number; NaN is stored as the text `NaN`.
  public var _stored: Value { Double(self)._stored }
  /// The number, or NaN for the text `NaN`; nil for other stored forms.
  public static func _load(_ stored: Value) -> Float16? {
    Double._load(stored).map { Float16($0) }
  }
}
extension Date: _AttributeValue {
  /// The stored type of dates.
  public static var _valueType: ValueType { .date }
  /// The date as seconds since the beginning of 2001 in UTC.
  public var _stored: Value { timeIntervalSinceReferenceDate._stored }
  /// The date with this number of seconds since 2001; nil if the stored form is not a number.
  public static func _load(_ stored: Value) -> Date? {
    Double._load(stored).map { Date(timeIntervalSinceReferenceDate: $0) }
  }
}
