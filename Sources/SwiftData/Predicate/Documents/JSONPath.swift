import Store

/// The key under which the JSON of a `Codable` type contains a stored property.
///
/// Only the decoder of the type determines the key, so it is found by experiment: the type decodes
/// probes that differ in the value of one key. If the property then always equals the value of that
/// key, the key belongs to the property. If the experiment finds no key, the values of the type are
/// decoded completely for each row.
struct JSONPath {
  let key: String
  let type: Any.Type

  private static let known = Guarded<[ConstantKeyPath: String?]>([:])

  static func of(_ keyPath: AnyKeyPath) -> JSONPath? {
    let constant = ConstantKeyPath(keyPath)
    let type = Swift.type(of: keyPath).valueType
    let found = known.withLock { $0[constant] }
    // `find` is called outside of the lock, because it calls code of the type.
    let key = found ?? find(keyPath)
    if found == nil { known.withLock { $0[constant] = .some(key) } }
    return key.map { JSONPath(key: $0, type: type) }
  }

  private static func find(_ keyPath: AnyKeyPath) -> String? {
    guard keyPath.isStoredInStruct,
      let root = Swift.type(of: keyPath).rootType as? any Decodable.Type
    else { return nil }
    return find(keyPath, in: root)
  }

  private static func find<Root: Decodable>(_ keyPath: AnyKeyPath, in root: Root.Type) -> String? {
    func read(_ probe: Probe) -> String? {
      // If a type rejects a probe, its values are decoded completely for each row.
      guard let value = try? Root(from: ProbeDecoder(probe)) else { return nil }
      guard let part = value[keyPath: keyPath] as? any Encodable else { return nil }
      return try? CompositeCoder.encode(part)
    }
    let base = Probe()
    guard let usual = read(base), !base.keys.isEmpty else { return nil }
    var found: String?
    for key in base.keys {
      let probe = Probe(changed: key)
      guard let changed = read(probe) else { return nil }
      guard changed != usual else { continue }
      guard found == nil, base.texts[key] == usual, probe.texts[key] == changed else {
        return nil
      }
      found = key
    }
    guard let found, !found.contains("\""), !found.contains("\\") else { return nil }
    // A type with a default for a missing key is excluded, because the JSON does not contain the
    // default.
    if let missing = read(Probe(missing: found)), missing != "null" { return nil }
    return found
  }

  /// The SQL that reads the property from the JSON; nil if the property's type has no SQL form.
  func term(in document: SQLDocument) -> SQLTerm? {
    guard let codec = AttributeCodec.of(type) else { return nil }
    let path = SQLQuery("\(bind: .text("$.\"\(key)\""))")
    let text: SQLQuery = "(\(document.sql) -> \(path))"
    let isNullable = document.isNullable || codec.isOptional
    let wrapped = unwrappedType(type)
    if codec.type == .json {
      let sql: SQLQuery = codec.isOptional ? "NULLIF(\(text), 'null')" : text
      return .document(
        SQLDocument(
          sql: sql,
          swiftType: wrapped,
          isNullable: isNullable,
          strictIn: document.strictIn
        )
      )
    }
    guard let function = ValueFunctions.shared.decoding(of: type) else { return nil }
    let plain: SQLQuery = "(\(document.sql) ->> \(path))"
    let exact: SQLQuery = "swift_value(\(sql: String(function)), \(text))"
    return .scalar(
      SQLScalar(
        sql: codec.jsonValue(
          plain: plain,
          exact: exact,
          document: document.sql,
          isBuiltIn: wrapped is any _AttributeValue.Type
        ),
        type: codec.type,
        swiftType: wrapped,
        isNullable: isNullable,
        strictIn: document.strictIn
      )
    )
  }
}

extension AttributeCodec {
  /// The SQL that reads a value from JSON.
  ///
  /// SQLite reads the value itself if the result is exact; otherwise SQLite calls a Swift function.
  func jsonValue(
    plain: SQLQuery,
    exact: SQLQuery,
    document: SQLQuery,
    isBuiltIn: Bool
  ) -> SQLQuery {
    // A type of the application may have another form in JSON than in a column, so Swift code reads
    // it.
    guard isBuiltIn else { return exact }
    switch type {
    case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: return plain
    // SQLite would cut the string at its first NUL.
    case .string: return "iif(instr(\(document), '\\u0000'), \(exact), \(plain))"
    default: return exact
    }
  }
}

extension AnyKeyPath {
  /// Whether the key path is a single step to a stored property of a structure.
  fileprivate var isStoredInStruct: Bool {
    let word = MemoryLayout<UInt>.size
    let object = unsafeBitCast(self, to: UnsafeRawPointer.self)
    let size = Int(object.load(fromByteOffset: 3 * word, as: UInt32.self) & 0x00ff_ffff)
    let header = object.load(fromByteOffset: 4 * word, as: UInt32.self)
    return (header & 0x7f00_0000) >> 24 == 1 && size <= word
  }
}
