import Changes
import Store

/// A type whose values are stored in a column as they are, without an encoder.
///
/// Not for use in applications: generated code chooses an overload by it.
public protocol _AttributeValue {
  /// The declared type as the store knows it.
  static var _valueType: ValueType { get }
  /// Whether the type is optional.
  static var _isOptional: Bool { get }
  /// The value as it is stored.
  var _stored: Value { get }
  /// The value of a stored form; nil if that is of another type.
  static func _load(_ stored: Value) -> Self?
}

extension _AttributeValue {
  /// False for all but optionals.
  public static var _isOptional: Bool { false }
}

extension Optional: _AttributeValue where Wrapped: _AttributeValue {
  /// The wrapped type's.
  public static var _valueType: ValueType { Wrapped._valueType }
  /// True.
  public static var _isOptional: Bool { true }
  /// The wrapped value, or null.
  public var _stored: Value {
    switch self {
    case .none: .null
    case .some(let value): value._stored
    }
  }
  /// The wrapped value, or nil for null.
  public static func _load(_ stored: Value) -> Wrapped?? {
    if case .null = stored { return .some(.none) }
    guard let value = Wrapped._load(stored) else { return .none }
    return .some(.some(value))
  }
}

extension String: _AttributeValue {
  /// Text.
  public static var _valueType: ValueType { .string }
  /// The text.
  public var _stored: Value { .text(self) }
  /// The text; invalid UTF-8 is replaced by U+FFFD.
  public static func _load(_ stored: Value) -> String? {
    switch stored {
    case .text(let text): text
    case .brokenText(let data): String(decoding: data, as: UTF8.self)
    default: nil
    }
  }
}

extension Bool: _AttributeValue {
  /// A truth value.
  public static var _valueType: ValueType { .bool }
  /// One for true, zero for false.
  public var _stored: Value { .integer(self ? 1 : 0) }
  /// False for zero, true for all other integers.
  public static func _load(_ stored: Value) -> Bool? {
    guard case .integer(let integer) = stored else { return nil }
    return integer != 0
  }
}

extension Data: _AttributeValue {
  /// Bytes.
  public static var _valueType: ValueType { .data }
  /// The bytes.
  public var _stored: Value { .blob(self) }
  /// The bytes.
  public static func _load(_ stored: Value) -> Data? {
    guard case .blob(let data) = stored else { return nil }
    return data
  }
}

extension UUID: _AttributeValue {
  /// A universally unique identifier.
  public static var _valueType: ValueType { .uuid }
  /// Thirty-six characters, in upper case.
  public var _stored: Value { .text(uuidString) }
  /// The identifier that the text names.
  public static func _load(_ stored: Value) -> UUID? {
    guard case .text(let text) = stored else { return nil }
    return UUID(uuidString: text)
  }
}

extension URL: _AttributeValue {
  /// A uniform resource locator.
  public static var _valueType: ValueType { .url }
  /// The text; a relative URL is followed by a space, which no URL contains, and its base.
  public var _stored: Value {
    guard let base = baseURL else { return .text(absoluteString) }
    return .text(relativeString + " " + base.absoluteString)
  }
  /// The locator that the text names.
  public static func _load(_ stored: Value) -> URL? {
    guard case .text(let text) = stored else { return nil }
    guard let space = text.firstIndex(of: " ") else { return URL(string: text) }
    let base = URL(string: String(text[text.index(after: space)...]))
    return URL(string: String(text[..<space]), relativeTo: base)
  }
}

extension Decimal: _AttributeValue {
  /// A decimal number.
  public static var _valueType: ValueType { .decimal }
  /// Its digits.
  public var _stored: Value { .text(isNaN ? notANumber : description) }
  /// The number that the digits give.
  public static func _load(_ stored: Value) -> Decimal? {
    switch stored {
    case .text(notANumber): Decimal.nan
    case .text(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    case .integer(let integer): Decimal(integer)
    default: nil
    }
  }
}
