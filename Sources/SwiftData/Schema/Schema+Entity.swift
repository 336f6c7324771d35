extension Schema {
  /// A kind of object, with the properties that its model class declares or inherits.
  ///
  /// ```swift
  /// for entity in schema.entities {
  ///   for property: any SchemaProperty in entity.properties { print(property.name) }
  /// }
  /// ```
  public final class Entity: @unchecked Sendable {
    // An entity is Sendable, because parents and children are only set while the schema is created.

    /// The simple name of the model class, unique in its schema.
    public let name: String
    /// The attributes that the class declares; inherited ones are in ``inheritedAttributes``.
    public let attributes: [Attribute]
    /// The relationships that the class declares; inherited ones are in ``inheritedRelationships``.
    public let relationships: [Relationship]
    /// The attributes of all superclasses; empty without a superclass.
    public let inheritedAttributes: [Attribute]
    /// The relationships of all superclasses; empty without a superclass.
    public let inheritedRelationships: [Relationship]
    /// Sets of properties whose values together are unique; empty if there are none.
    public let uniquenessConstraints: [[String]]
    /// Sets of properties with an index; empty if there are none.
    public let indices: [[String]]
    /// The name of the entity from which this one inherits; nil if there is none.
    public let superentityName: String?
    /// The entity from which this one inherits; nil if there is none.
    public private(set) weak var superentity: Entity?
    /// The entities that inherit directly from this one; empty if there are none.
    public private(set) var subentities: Set<Entity> = []
    let description: _ModelDescription?

    init(_ description: _ModelDescription) {
      self.description = description
      name = description.name
      superentityName = description.parent?.name
      let own = description.properties[description.offset...]
      let inherited = description.properties[..<description.offset]
      attributes = own.compactMap { Attribute(describing: $0) }
      inheritedAttributes = inherited.compactMap { Attribute(describing: $0) }
      relationships = own.compactMap { Relationship(describing: $0, of: description) }
      inheritedRelationships = inherited.compactMap {
        Relationship(describing: $0, of: description)
      }
      uniquenessConstraints = description.uniqueSets
      indices = description.indexSets
    }

    enum CodingKeys: String, CodingKey {
      case name, superentity, attributes, relationships, inheritedAttributes
      case inheritedRelationships, uniquenessConstraints, indices
    }

    /// Decodes an entity of a saved schema; the types of its attributes are not restored.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      func attributes(_ key: CodingKeys) throws -> [Attribute] {
        try values.decode([CodedAttribute].self, forKey: key).map(\.attribute)
      }
      func relationships(_ key: CodingKeys) throws -> [Relationship] {
        try values.decode([CodedRelationship].self, forKey: key).map { Relationship($0) }
      }
      name = try values.decode(String.self, forKey: .name)
      self.attributes = try attributes(.attributes)
      self.relationships = try relationships(.relationships)
      inheritedAttributes = try attributes(.inheritedAttributes)
      inheritedRelationships = try relationships(.inheritedRelationships)
      uniquenessConstraints = try values.decode([[String]].self, forKey: .uniquenessConstraints)
      indices = try values.decode([[String]].self, forKey: .indices)
      superentityName = try values.decodeIfPresent(String.self, forKey: .superentity)
      description = nil
    }

    /// The attributes and relationships that the class declares; inherited ones are not included.
    public var properties: [any SchemaProperty] { attributes + relationships }
    /// The declared properties, except properties that are only in memory.
    public var storedProperties: [any SchemaProperty] { properties.filter { !$0.isTransient } }
    /// All inherited properties; empty without a superclass.
    public var inheritedProperties: [any SchemaProperty] {
      inheritedAttributes + inheritedRelationships
    }
    /// The declared attributes by name; inherited ones are not included.
    public var attributesByName: [String: Attribute] { attributes.keyed(by: \.name) }
    /// The declared relationships by name; inherited ones are not included.
    public var relationshipsByName: [String: Relationship] { relationships.keyed(by: \.name) }
    /// The declared properties by name, except properties that are only in memory.
    public var storedPropertiesByName: [String: any SchemaProperty] {
      storedProperties.keyed(by: \.name)
    }
    /// All inherited properties by name; empty without a superclass.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      inheritedProperties.keyed(by: \.name)
    }
    /// The name of the class in compiled code; in a decoded schema, only the simple name.
    public var mangledName: String {
      description.map { _mangledTypeName($0.type) ?? String(reflecting: $0.type) } ?? name
    }

    static func make(of models: [any PersistentModel.Type]) -> [Entity] {
      link(models.map { Entity(_ModelDescription.of($0)) })
    }

    static func link(_ entities: [Entity]) -> [Entity] {
      for entity in entities {
        guard let parent = entities.first(where: { $0.name == entity.superentityName }) else {
          continue
        }
        entity.superentity = parent
        parent.subentities.insert(entity)
      }
      return entities
    }
  }
}

extension Schema.Attribute {
  convenience init?(describing property: PropertyDescription) {
    guard property.destination == nil else { return nil }
    let declared = property.attribute
    let originalName = declared?.originalName ?? ""
    self.init(
      name: property.name,
      options: declared?.options ?? [],
      originalName: originalName.isEmpty ? nil : originalName,
      valueType: property.valueType,
      defaultValue: property.defaultValue,
      hashModifier: declared?.hashModifier
    )
  }
}

extension Schema.Relationship {
  convenience init?(describing property: PropertyDescription, of owner: _ModelDescription) {
    guard let destination = property.destination else { return nil }
    self.init(
      property,
      destination: _ModelDescription.of(destination).name,
      inverse: owner.inverse(of: property.index)
    )
  }
}

extension Schema.Entity: Hashable {
  /// Whether names, properties and unique sets are equal; the types of values are not compared.
  public static func == (left: Schema.Entity, right: Schema.Entity) -> Bool {
    left === right
      || (left.name == right.name && left.superentityName == right.superentityName
        && left.properties.map(\.name) == right.properties.map(\.name)
        && left.uniquenessConstraints == right.uniquenessConstraints)
  }

  /// Hashes only the name of the entity.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
