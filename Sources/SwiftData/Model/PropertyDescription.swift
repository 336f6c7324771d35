enum PropertyKind: Sendable {
  /// An attribute, with the conversion of its values to their stored form.
  case attribute(AttributeCodec)
  case toOne(any PersistentModel.Type, isOptional: Bool)
  case toMany(any PersistentModel.Type, isOptional: Bool)
  /// A property whose type can't be stored; a schema with such a property is rejected.
  case unsupported
}

final class PropertyDescription: @unchecked Sendable {
  // The description is a class, because it is passed for every value of every row. The default
  // value, which is not Sendable, is created once and then only read.
  let name: String
  /// The index of the property's slot in the state of an object.
  let index: Int
  let owner: String
  let keyPath: AnyKeyPath
  let valueType: Any.Type
  let kind: PropertyKind
  /// The class that holds the members of a to-many relationship.
  ///
  /// The class is stored, because finding it takes longer than creating an instance of it.
  let collection: ToMany.Type?
  let defaultValue: Any?
  let attribute: Schema.Attribute?
  let relationship: Schema.Relationship?

  init(_ metadata: Schema.PropertyMetadata, index: Int, owner: String) {
    name = metadata.name
    self.index = index
    self.owner = owner
    keyPath = metadata.keypath
    valueType = Swift.type(of: metadata.keypath).valueType
    attribute = metadata.metadata as? Schema.Attribute
    relationship = metadata.metadata as? Schema.Relationship
    defaultValue = metadata.defaultValue
    kind = Self.kind(of: valueType, attribute: attribute)
    collection = if case .toMany(let type, _) = kind { ToMany.type(of: type) } else { nil }
  }

  var destination: (any PersistentModel.Type)? {
    switch kind {
    case .toOne(let type, _), .toMany(let type, _): type
    case .attribute, .unsupported: nil
    }
  }

  var isToMany: Bool {
    if case .toMany = kind { true } else { false }
  }

  var isOptional: Bool {
    switch kind {
    case .attribute(let codec): codec.isOptional
    case .toOne(_, let isOptional), .toMany(_, let isOptional): isOptional
    case .unsupported: valueType is any OptionalType.Type
    }
  }

  var isEphemeral: Bool { attribute?.options.contains(.ephemeral) ?? false }

  /// Whether large values are kept in files beside the store.
  var isExternal: Bool { attribute?.options.contains(.externalStorage) ?? false }

  private static func kind(of type: Any.Type, attribute: Schema.Attribute?) -> PropertyKind {
    if attribute?.isCodable == true {
      return AttributeCodec.codable(type).map { .attribute($0) } ?? .unsupported
    }
    let wrapped = (type as? any OptionalType.Type)?.wrappedType
    if let model = type as? any PersistentModel.Type { return .toOne(model, isOptional: false) }
    if let model = wrapped as? any PersistentModel.Type { return .toOne(model, isOptional: true) }
    if let collection = type as? any RelationshipCollection.Type,
      let element = elementType(of: collection)
    {
      return .toMany(element, isOptional: wrapped != nil)
    }
    if let transformer = attribute?.transformer {
      return .attribute(.transformed(type, by: transformer))
    }
    if let codec = AttributeCodec.of(type) { return .attribute(codec) }
    return .unsupported
  }

  private static func elementType<C: RelationshipCollection>(
    of type: C.Type
  ) -> (any PersistentModel.Type)? {
    C.PersistentElement.self
  }
}
