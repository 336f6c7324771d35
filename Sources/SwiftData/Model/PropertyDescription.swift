/// What a property of a model class holds.
enum PropertyKind: Sendable {
  /// A value, with the way to its stored form.
  case attribute(AttributeCodec)
  /// A reference to one object.
  case toOne(any PersistentModel.Type, isOptional: Bool)
  /// References to any number of objects.
  case toMany(any PersistentModel.Type, isOptional: Bool)
  /// A value of a type that can't be stored; making a schema of it is refused.
  case unsupported
}

/// One persisted property of a model class.
final class PropertyDescription: @unchecked Sendable {
  // A class, as it is handed around for every value of every row. Sendable but for the default value, which is made once and then only read.
  let name: String
  /// The place of its value among the slots of an object's state.
  let index: Int
  /// The name of the class that declares it.
  let owner: String
  let keyPath: AnyKeyPath
  let valueType: Any.Type
  let kind: PropertyKind
  /// The class of what a relationship to many objects holds; known here, as finding it at run time
  /// costs more than to make one.
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

  /// The model class that a relationship leads to.
  var destination: (any PersistentModel.Type)? {
    switch kind {
    case .toOne(let type, _), .toMany(let type, _): type
    case .attribute, .unsupported: nil
    }
  }

  var isToMany: Bool {
    if case .toMany = kind { true } else { false }
  }

  /// Whether nil may stand for the value.
  var isOptional: Bool {
    switch kind {
    case .attribute(let codec): codec.isOptional
    case .toOne(_, let isOptional), .toMany(_, let isOptional): isOptional
    case .unsupported: valueType is any OptionalType.Type
    }
  }

  /// Whether the value is kept in memory alone.
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
