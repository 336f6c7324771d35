import Format
import Store

extension SnapshotValues {
  /// Reads the values for the properties of a model class from a snapshot of any type.
  static func of(
    _ snapshot: any DataStoreSnapshot,
    as description: _ModelDescription
  ) throws -> SnapshotValues {
    if let known = snapshot as? DefaultSnapshot {
      if let failure = known.failure { throw failure }
      if known.values.description === description { return known.values }
    }
    let captured = try SnapshotCapture.values(of: snapshot)
    let identifier = snapshot.persistentIdentifier
    let contents = try description.properties.map { property in
      do { return try content(of: property, captured: captured[property.name]) } catch {
        throw SwiftDataError(.unsupportedType, cause: error) {
          "The snapshot of \(identifier.id) does not have a suitable value for"
            + " \(description.name).\(property.name): \(error)."
            + "\nThe snapshot must encode a value of the type \(property.valueType) under the name"
            + " of the property."
        }
      }
    }
    return SnapshotValues(identifier: identifier, description: description, contents: contents)
  }

  private static func content(
    of property: PropertyDescription,
    captured: SnapshotCapture.Captured?
  ) throws -> Content {
    let value: Any?
    switch captured {
    case nil:
      if case .toOne = property.kind { return .toOne(nil) }
      return .absent
    case .null: value = nil
    case .value(let found): value = unwrapped(found)
    }
    switch property.kind {
    case .unsupported: return .absent
    case .attribute where property.isEphemeral: return .absent
    case .attribute(let codec):
      return .attribute(try stored(value, property: property, codec: codec))
    case .toOne:
      guard let value else { return .toOne(nil) }
      guard let target = value as? PersistentIdentifier else {
        throw ValueMismatch(value: value, expected: PersistentIdentifier.self)
      }
      return .toOne(target)
    case .toMany:
      guard let value else { return .toMany(nil) }
      if let targets = value as? [PersistentIdentifier] { return .toMany(targets) }
      if let targets = value as? Set<PersistentIdentifier> { return .toMany(targets.sorted()) }
      throw ValueMismatch(value: value, expected: [PersistentIdentifier].self)
    }
  }

  private static func stored(
    _ value: Any?,
    property: PropertyDescription,
    codec: AttributeCodec
  ) throws -> Value {
    guard let value else {
      guard codec.isOptional else {
        throw ValueMismatch(value: Value.null, expected: property.valueType)
      }
      return .null
    }
    if codec.type == .transformed, let data = value as? Data { return .blob(data) }
    do { return try codec.encode(value) } catch is ValueMismatch {
      // The value may have another type with the same encoding, such as the raw value of an
      // enumeration, or an Int for a Double. So it is encoded, and decoded as the declared type.
      let wrapped =
        (property.valueType as? any OptionalType.Type)?.wrappedType ?? property.valueType
      guard let encodable = value as? any Encodable, let type = wrapped as? any Decodable.Type
      else { throw ValueMismatch(value: value, expected: property.valueType) }
      return try codec.encode(
        try CompositeCoder.decode(type, from: try CompositeCoder.encode(encodable))
      )
    }
  }
}
