/// An encoder that reads a snapshot of any type: it stores the encoded values under their keys and
/// does not convert them.
final class SnapshotCapture: Encoder {
  enum Captured {
    case null
    case value(any Encodable)
  }

  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var values: [String: Captured] = [:]
  /// The captured parts of values that were encoded in several parts, by key.
  private var nested: [String: SnapshotCapture] = [:]
  /// The error of the first operation that this encoder does not support.
  private var failure: EncodingError?

  init(codingPath: [any CodingKey] = []) { self.codingPath = codingPath }

  static func values(of snapshot: any DataStoreSnapshot) throws -> [String: Captured] {
    let capture = SnapshotCapture()
    try snapshot.encode(to: capture)
    return try capture.finished()
  }

  private func finished() throws -> [String: Captured] {
    if let failure { throw failure }
    var all = values
    for (name, child) in nested { all[name] = .value(NestedValues(values: try child.finished())) }
    return all
  }

  fileprivate func keep(_ captured: Captured, for key: any CodingKey) {
    values[key.stringValue] = captured
  }

  fileprivate func child(_ key: any CodingKey) -> SnapshotCapture {
    let made = SnapshotCapture(codingPath: codingPath + [key])
    nested[key.stringValue] = made
    return made
  }

  fileprivate func refuse(_ path: [any CodingKey]) {
    failure =
      failure
      ?? EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: path,
          debugDescription:
            "A snapshot must encode its values with keys; arrays are encoded as one value."
        )
      )
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(CaptureContainer<Key>(capture: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    refuse(codingPath)
    return RefusedContainer(codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ForwardingContainer(capture: self)
  }
}

/// Joins values that were encoded in parts, so that they can be encoded as one value.
private struct NestedValues: Encodable {
  let values: [String: SnapshotCapture.Captured]

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    for (name, captured) in values {
      let key = DataStoreSnapshotCodingKey.modeledProperty(name)
      switch captured {
      case .null: try container.encodeNil(forKey: key)
      case .value(let value): try container.encode(value, forKey: key)
      }
    }
  }
}

private struct CaptureContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let capture: SnapshotCapture
  var codingPath: [any CodingKey] { capture.codingPath }

  mutating func encodeNil(forKey key: Key) { capture.keep(.null, for: key) }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) {
    capture.keep(.value(value), for: key)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    capture.child(key).container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    capture.refuse(codingPath + [key])
    return RefusedContainer(codingPath: codingPath + [key])
  }

  mutating func superEncoder() -> any Encoder { capture }

  mutating func superEncoder(forKey key: Key) -> any Encoder { capture.child(key) }
}

/// Supports snapshots that encode themselves as a single value, by encoding that value.
private struct ForwardingContainer: SingleValueEncodingContainer {
  let capture: SnapshotCapture
  var codingPath: [any CodingKey] { capture.codingPath }

  mutating func encodeNil() { capture.refuse(codingPath) }
  mutating func encode<T: Encodable>(_ value: T) throws {
    switch value {
    // Booleans, texts and numbers encode themselves as single values, so encoding them here would
    // never end.
    case is Bool, is String, is any BinaryInteger, is any BinaryFloatingPoint:
      capture.refuse(codingPath)
    default: try value.encode(to: capture)
    }
  }
}

/// Ignores further values, because the capture has already recorded a failure.
private struct RefusedContainer: UnkeyedEncodingContainer {
  let codingPath: [any CodingKey]
  private(set) var count = 0

  init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

  mutating func encodeNil() { count += 1 }
  mutating func encode<T: Encodable>(_ value: T) { count += 1 }
  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    SnapshotCapture(codingPath: codingPath).container(keyedBy: keyType)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  mutating func superEncoder() -> any Encoder { SnapshotCapture(codingPath: codingPath) }
}
