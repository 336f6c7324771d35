import Format
import Store

/// A type whose values are stored directly in a column, without an encoder.
///
/// Applications do not use this protocol. Generated code chooses overloads by conformance to it.
public protocol _AttributeValue {
  /// The type that the schema of the store records for the attribute.
  static var _valueType: ValueType { get }
  /// Whether the type is optional.
  static var _isOptional: Bool { get }
  /// The value in its stored form.
  var _stored: Value { get }
  /// The value for a stored form; nil if the stored form belongs to another type.
  static func _load(_ stored: Value) -> Self?
}

extension _AttributeValue {
  /// Whether the type is optional; false for all types except optionals.
  public static var _isOptional: Bool { false }
}

extension Optional: _AttributeValue where Wrapped: _AttributeValue {
  /// The stored type of the wrapped type.
  public static var _valueType: ValueType { Wrapped._valueType }
  /// Whether the type is optional; always true.
  public static var _isOptional: Bool { true }
  /// The stored form of the wrapped value, or null for nil.
  public var _stored: Value {
    switch self {
    case .none: .null
    case .some(let value): value._stored
    }
  }
  /// The wrapped value, or nil for null; the outer optional is nil if the stored form belongs to
  /// another type.
  public static func _load(_ stored: Value) -> Wrapped?? {
    if case .null = stored { return .some(.none) }
    guard let value = Wrapped._load(stored) else { return .none }
    return .some(.some(value))
  }
}

extension String: _AttributeValue {
  /// The stored type of strings.
  public static var _valueType: ValueType { .string }
  /// The string as a text.
  public var _stored: Value { .text(self) }
  /// The string; bytes that are not valid UTF-8 are replaced by U+FFFD.
  public static func _load(_ stored: Value) -> String? {
    switch stored {
    case .text(let text): text
    case .brokenText(let data): String(decoding: data, as: UTF8.self)
    default: nil
    }
  }
}

extension Bool: _AttributeValue {
  /// The stored type of Booleans.
  public static var _valueType: ValueType { .bool }
  /// The integer 1 for true and 0 for false.
  public var _stored: Value { .integer(self ? 1 : 0) }
  /// False for 0 and true for all other integers.
  public static func _load(_ stored: Value) -> Bool? {
    guard case .integer(let integer) = stored else { return nil }
    return integer != 0
  }
}

extension Data: _AttributeValue {
  /// The stored type of data.
  public static var _valueType: ValueType { .data }
  /// The bytes without a conversion.
  public var _stored: Value { .blob(self) }
  /// The bytes; nil if the stored form is not a blob.
  public static func _load(_ stored: Value) -> Data? {
    guard case .blob(let data) = stored else { return nil }
    return data
  }
}

extension UUID: _AttributeValue {
  /// The stored type of UUIDs.
  public static var _valueType: ValueType { .uuid }
  /// The UUID as 36 characters in upper case.
  public var _stored: Value { .text(uuidString) }
  /// The UUID that a text represents; nil for any other stored form.
  public static func _load(_ stored: Value) -> UUID? {
    guard case .text(let text) = stored else { return nil }
    return UUID(uuidString: text)
  }
}

extension URL: _AttributeValue {
  /// The stored type of URLs.
  public static var _valueType: ValueType { .url }
  /// The URL as a text; a relative URL is followed by a space, which is not allowed in a URL, and
  /// by the base URL.
  public var _stored: Value {
    guard let base = baseURL else { return .text(absoluteString) }
    return .text(relativeString + " " + base.absoluteString)
  }
  /// The URL that a text represents; nil for any other stored form.
  public static func _load(_ stored: Value) -> URL? {
    guard case .text(let text) = stored else { return nil }
    guard let space = text.firstIndex(of: " ") else { return URL(string: text) }
    let base = URL(string: String(text[text.index(after: space)...]))
    return URL(string: String(text[..<space]), relativeTo: base)
  }
}

extension Decimal: _AttributeValue {
  /// The stored type of decimal numbers.
  public static var _valueType: ValueType { .decimal }
  /// The number as a text of decimal digits, or the text `NaN`.
  public var _stored: Value { .text(isNaN ? notANumber : description) }
  /// The number that a text represents; nil for any other stored form.
  public static func _load(_ stored: Value) -> Decimal? {
    switch stored {
    case .text(notANumber): Decimal.nan
    case .text(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    case .integer(let integer): Decimal(integer)
    default: nil
    }
  }
}

extension ValueType {
  /// The codec of values whose property no class has any more.
  var codec: AttributeCodec {
    func codec(_ type: any _AttributeValue.Type) -> AttributeCodec { .scalar(type) }
    return switch self {
    case .bool: codec(Bool.self)
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: codec(Int64.self)
    case .uint64: codec(UInt64.self)
    case .float16, .float, .double: codec(Double.self)
    case .decimal: codec(Decimal.self)
    // No model has an attribute of type any, so the value is decoded as a text.
    case .string, .json, .any: codec(String.self)
    case .date: codec(Date.self)
    case .data, .transformed: codec(Data.self)
    case .uuid: codec(UUID.self)
    case .url: codec(URL.self)
    }
  }
}
