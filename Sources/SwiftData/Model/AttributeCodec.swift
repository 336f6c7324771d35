import Format
import Store

/// Converts the values of one property to their stored form and back, in code that does not know
/// the property's type at compile time: snapshots, defaults, key paths, and captured values of
/// predicates.
struct AttributeCodec: @unchecked Sendable {
  // The closures capture only types, so the structure is Sendable.
  var type: ValueType
  var isOptional: Bool
  var encode: (Any) throws -> Value
  var decode: (Value) throws -> Any

  static func of(_ type: Any.Type) -> AttributeCodec? {
    if let scalar = type as? any _AttributeValue.Type { return .scalar(scalar) }
    if let optional = type as? any OptionalType.Type {
      return of(optional.wrappedType)?.optional(optional)
    }
    if let raw = type as? any RawRepresentable.Type, let codec = rawCodec(raw) { return codec }
    if let codable = type as? any Codable.Type { return .json(codable) }
    return nil
  }

  /// The codec of a type as a `Codable` type, even if the type also has a column form; nil for
  /// types that are not `Codable`.
  static func codable(_ type: Any.Type) -> AttributeCodec? {
    if let optional = type as? any OptionalType.Type {
      return codable(optional.wrappedType)?.optional(optional)
    }
    return (type as? any Codable.Type).map { .json($0) }
  }

  private func optional(_ type: any OptionalType.Type) -> AttributeCodec {
    var codec = self
    codec.isOptional = true
    codec.encode = { value in
      guard let wrapped = unwrapped(value) else { return .null }
      return try encode(wrapped)
    }
    codec.decode = { stored in
      if case .null = stored { return type.nothing }
      return try decode(stored)
    }
    return codec
  }

  static func scalar<T: _AttributeValue>(_ type: T.Type) -> AttributeCodec {
    AttributeCodec(
      type: T._valueType,
      isOptional: T._isOptional,
      encode: { value in
        guard let typed = value as? T else { throw ValueMismatch(value: value, expected: T.self) }
        return typed._stored
      },
      decode: { stored in
        guard let value = T._load(stored) else {
          throw ValueMismatch(value: stored, expected: T.self)
        }
        return value
      }
    )
  }

  private static func rawCodec<T: RawRepresentable>(_ type: T.Type) -> AttributeCodec? {
    guard let raw = T.RawValue.self as? any _AttributeValue.Type else { return nil }
    func make<R: _AttributeValue>(_: R.Type) -> AttributeCodec {
      AttributeCodec(
        type: R._valueType,
        isOptional: R._isOptional,
        encode: { value in
          guard let typed = value as? T, let raw = typed.rawValue as? R else {
            throw ValueMismatch(value: value, expected: T.self)
          }
          return raw._stored
        },
        decode: { stored in
          guard let raw = R._load(stored) as? T.RawValue, let value = T(rawValue: raw) else {
            throw ValueMismatch(value: stored, expected: T.self)
          }
          return value
        }
      )
    }
    return make(raw)
  }

  private static func json<T: Codable>(_ type: T.Type) -> AttributeCodec {
    let codec = AttributeCodec(
      type: .json,
      isOptional: false,
      encode: { value in
        guard let typed = value as? T else { throw ValueMismatch(value: value, expected: T.self) }
        return .text(try CompositeCoder.encode(typed))
      },
      decode: { stored in
        guard case .text(let text) = stored else {
          throw ValueMismatch(value: stored, expected: T.self)
        }
        return try CompositeCoder.decode(T.self, from: text)
      }
    )
    return (type as? any ListType.Type)?.withShortWays(codec) ?? codec
  }
}

struct ValueMismatch: Error, CustomStringConvertible {
  var found: String
  var expected: String

  init(value: Any, expected: Any.Type) {
    found = Self.kind(of: value)
    self.expected = "\(expected)"
  }

  /// Describes a value only by its kind, because errors must not show private values.
  private static func kind(of value: Any) -> String {
    guard let stored = value as? Value else { return "a \(Swift.type(of: value))" }
    return switch stored {
    case .null: "NULL"
    case .integer: "an integer"
    case .real: "a real number"
    case .text, .brokenText: "text"
    case .blob: "bytes"
    }
  }

  var description: String { "found \(found) instead of \(expected)" }
}

/// A list type with a fast path that does not need a coder: most lists are empty, and many others
/// contain only texts.
private protocol ListType {
  static func withShortWays(_ codec: AttributeCodec) -> AttributeCodec
}

extension Array: ListType {
  fileprivate static func withShortWays(_ codec: AttributeCodec) -> AttributeCodec {
    var short = codec
    let holdsTexts = Element.self == String.self
    short.encode = { value in
      guard let list = value as? Self else { return try codec.encode(value) }
      if list.isEmpty { return .text(CompositeCoder.emptyList) }
      if holdsTexts, let texts = list as? [String] {
        return .text(CompositeCoder.encode(texts: texts))
      }
      return try codec.encode(value)
    }
    short.decode = { stored in
      stored == .text(CompositeCoder.emptyList) ? [] as Self : try codec.decode(stored)
    }
    return short
  }
}

/// An interface to an optional, for code that does not know the wrapped type.
protocol OptionalType: SendableMetatype {
  static var wrappedType: Any.Type { get }
  static var nothing: Any { get }
  var wrapped: Any? { get }
}

extension Optional: OptionalType {
  static var wrappedType: Any.Type { Wrapped.self }
  static var nothing: Any {
    let nothing: Wrapped? = nil
    return nothing as Any
  }
  var wrapped: Any? { self }
}

/// The value inside of any number of optionals; nil if one of the optionals is nil.
func unwrapped(_ value: Any) -> Any? {
  guard let optional = value as? any OptionalType else { return value }
  return optional.wrapped.flatMap(unwrapped)
}

extension AttributeCodec {
  static func transformed(_ type: Any.Type, by name: String) -> AttributeCodec {
    let optional = type as? any OptionalType.Type
    return AttributeCodec(
      type: .transformed,
      isOptional: optional != nil,
      encode: { value in
        guard let wrapped = unwrapped(value) else { return .null }
        guard let transformer = ValueTransformer.named(name) else {
          throw noTransformer(name)
        }
        switch transformer.transformedValue(wrapped) {
        case let data as Data: return .blob(data)
        case let data as NSData: return .blob(Data(referencing: data))
        case let other: throw ValueMismatch(value: other as Any, expected: Data.self)
        }
      },
      decode: { stored in
        if case .null = stored, let optional { return optional.nothing }
        guard case .blob(let data) = stored else {
          throw ValueMismatch(value: stored, expected: Data.self)
        }
        guard let transformer = ValueTransformer.named(name) else {
          throw noTransformer(name)
        }
        guard let value = transformer.reverseTransformedValue(data) else {
          throw ValueMismatch(value: stored, expected: type)
        }
        return value
      }
    )
  }
}

private func noTransformer(_ name: String) -> SwiftDataError {
  SwiftDataError(.unsupportedType) {
    "There is no value transformer with the name \(name)."
      + "\nCall ValueTransformer.setValueTransformer(_:forName:) before you create the container."
  }
}
