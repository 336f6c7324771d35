/// Provides example values for a trial decoding: for each key, one of two values of the requested
/// type.
final class Probe {
  let changed: String?
  let missing: String?
  private(set) var keys: [String] = []
  private(set) var texts: [String: String] = [:]

  init(changed: String? = nil, missing: String? = nil) {
    self.changed = changed
    self.missing = missing
  }

  fileprivate func value<T: Decodable>(of type: T.Type, for key: any CodingKey) throws -> T {
    let name = key.stringValue
    let isSecond = name == changed
    let value: T
    if let known = Self.value(of: type, isSecond: isSecond) as? T {
      value = known
    } else {
      value = try T(from: ProbeDecoder(Probe(isSecond)))
    }
    if !keys.contains(name) { keys.append(name) }
    if let encodable = value as? any Encodable {
      texts[name] = try CompositeCoder.encode(encodable)
    }
    return value
  }

  private var isAllSecond = false

  private convenience init(_ isSecond: Bool) {
    self.init()
    isAllSecond = isSecond
  }

  fileprivate func inner<T: Decodable>(_ type: T.Type, for key: any CodingKey) throws -> T {
    guard isAllSecond else { return try value(of: type, for: key) }
    if let known = Self.value(of: type, isSecond: true) as? T { return known }
    return try T(from: ProbeDecoder(Probe(true)))
  }

  /// One of two example values of a type that does not decode itself from keys; nil for other
  /// types.
  private static func value(of type: Any.Type, isSecond: Bool) -> Any? {
    switch type {
    case is Bool.Type: return isSecond
    case is String.Type: return isSecond ? "Second \u{e9}Z" : "First \u{e9}A"
    case is Double.Type: return isSecond ? -2.25 : 1.5
    case is Float.Type: return isSecond ? Float(-2.25) : Float(1.5)
    case is Date.Type:
      return Date(timeIntervalSinceReferenceDate: isSecond ? 98_765_432.25 : -1234.5)
    case is UUID.Type:
      let byte: UInt8 = isSecond ? 0xab : 0x12
      return UUID(uuid: (byte, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, byte))
    case is Data.Type: return Data(isSecond ? [1, 2] : [3])
    case is Decimal.Type: return isSecond ? Decimal(-25) / 8 : Decimal(7)
    case is URL.Type: return URL(string: isSecond ? "https://b.org/Z" : "http://a.org/x")
    default: break
    }
    if let integer = type as? any FixedWidthInteger.Type {
      return number(integer, isSecond: isSecond)
    }
    if let cases = type as? any CaseIterable.Type { return oneCase(cases, isSecond: isSecond) }
    if let optional = type as? any OptionalType.Type {
      return value(of: optional.wrappedType, isSecond: isSecond)
    }
    return nil
  }

  private static func number<T: FixedWidthInteger>(_: T.Type, isSecond: Bool) -> T {
    isSecond ? 117 : 58
  }

  private static func oneCase<T: CaseIterable>(_ type: T.Type, isSecond: Bool) -> Any? {
    let cases = Array(type.allCases)
    guard cases.count > 1 else { return nil }
    return isSecond ? cases[1] : cases[0]
  }
}

/// Decodes a probe: it has a value for every key, in the type that is requested.
struct ProbeDecoder: Decoder {
  let probe: Probe
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ probe: Probe) { self.probe = probe }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ProbeContainer<Key>(probe: probe))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoProbe() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoProbe() }
}

/// Thrown for a type that does not decode itself from keys and has no example values.
private struct NoProbe: Error {}

private struct ProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let probe: Probe
  var codingPath: [any CodingKey] { [] }
  // A probe does not know its keys, so a type that asks for all of them is decoded completely.
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { key.stringValue != probe.missing }
  func decodeNil(forKey key: Key) throws -> Bool { key.stringValue == probe.missing }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard key.stringValue != probe.missing else { throw NoProbe() }
    return try probe.inner(type, for: key)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    key.stringValue == probe.missing ? nil : try probe.inner(type, for: key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw NoProbe() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw NoProbe()
  }
  func superDecoder() throws -> any Decoder { throw NoProbe() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw NoProbe() }
}
