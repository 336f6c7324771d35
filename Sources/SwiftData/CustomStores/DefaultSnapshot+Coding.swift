import Format
import Store

extension DefaultSnapshot {
  private typealias Key = DataStoreSnapshotCodingKey

  /// Encodes the identity and the values; fails if a value could not be read.
  public func encode(to encoder: any Encoder) throws {
    if let failure { throw failure }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for property in values.description.properties {
      let key = Key.modeledProperty(property.name)
      switch values.contents[property.index] {
      case .absent: break
      case .attribute(let stored):
        try encode(stored, property: property, into: &container, key: key)
      case .toOne(nil), .toMany(nil): try container.encodeNil(forKey: key)
      case .toOne(let target?): try container.encode(target, forKey: key)
      case .toMany(let targets?): try container.encode(targets, forKey: key)
      }
    }
  }

  private func encode(
    _ stored: Value,
    property: PropertyDescription,
    into container: inout KeyedEncodingContainer<Key>,
    key: Key
  ) throws {
    guard case .attribute(let codec) = property.kind else { return }
    if codec.type == .transformed {
      guard case .blob(let data) = stored else { return try container.encodeNil(forKey: key) }
      return try container.encode(data, forKey: key)
    }
    guard let value = unwrapped(try codec.decode(stored)) else {
      return try container.encodeNil(forKey: key)
    }
    if let value = value as? any Encodable {
      try container.encode(value, forKey: key)
    } else if let value = value as? any RawRepresentable, let raw = value.rawEncodable {
      try container.encode(raw, forKey: key)
    } else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: container.codingPath + [key],
          debugDescription: "\(property.owner).\(property.name) is not Encodable."
        )
      )
    }
  }

  /// Decodes the identity, and the values of the properties that the entity's model class has.
  ///
  /// A missing value becomes the default of its property, or nil without a default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let identifier = try container.decode(
      PersistentIdentifier.self,
      forKey: .persistentIdentifier
    )
    guard let description = SnapshotEntities.description(of: identifier) else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier,
        in: container,
        debugDescription:
          "The snapshot belongs to the entity \(identifier.entityName), but no container of this "
          + "process has it. Create a ModelContainer with that model before decoding the snapshot."
      )
    }
    var contents: [SnapshotValues.Content] = []
    contents.reserveCapacity(description.properties.count)
    for property in description.properties {
      let key = Key.modeledProperty(property.name)
      switch property.kind {
      case .unsupported: contents.append(.absent)
      case .attribute where property.isEphemeral: contents.append(.absent)
      case .attribute(let codec):
        contents.append(
          .attribute(try Self.decode(property, codec: codec, from: container, key: key))
        )
      case .toOne:
        contents.append(
          .toOne(try container.decodeIfPresent(PersistentIdentifier.self, forKey: key))
        )
      case .toMany:
        // A store may leave out the collection; its members are then found by their inverse.
        guard container.contains(key) else {
          contents.append(.absent)
          continue
        }
        contents.append(
          .toMany(try container.decodeIfPresent([PersistentIdentifier].self, forKey: key))
        )
      }
    }
    self.init(
      SnapshotValues(identifier: identifier, description: description, contents: contents)
    )
  }

  private static func decode(
    _ property: PropertyDescription,
    codec: AttributeCodec,
    from container: KeyedDecodingContainer<Key>,
    key: Key
  ) throws -> Value {
    guard container.contains(key), try !container.decodeNil(forKey: key) else {
      if codec.isOptional { return .null }
      if let value = property.defaultValue { return try codec.encode(value) }
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: container.codingPath,
          debugDescription: "\(property.owner).\(property.name) has no value and no default."
        )
      )
    }
    if codec.type == .transformed { return .blob(try container.decode(Data.self, forKey: key)) }
    let type = (property.valueType as? any OptionalType.Type)?.wrappedType ?? property.valueType
    if let type = type as? any Decodable.Type {
      return try codec.encode(try container.decode(type, forKey: key))
    }
    if let type = type as? any RawRepresentable.Type,
      let value = try type.decodeRaw(from: container, key: key)
    {
      return try codec.encode(value)
    }
    throw DecodingError.dataCorruptedError(
      forKey: key,
      in: container,
      debugDescription: "\(property.owner).\(property.name) is not Decodable."
    )
  }
}

extension RawRepresentable {
  /// The raw value of an enumeration that does not conform to `Codable`.
  fileprivate var rawEncodable: (any Encodable)? { rawValue as? any Encodable }

  fileprivate static func decodeRaw<Key>(
    from container: KeyedDecodingContainer<Key>,
    key: Key
  ) throws -> Any? {
    guard let type = RawValue.self as? any Decodable.Type,
      let raw = try container.decode(type, forKey: key) as? RawValue
    else { return nil }
    return Self(rawValue: raw)
  }
}
