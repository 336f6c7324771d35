extension Schema {
  /// A kind of object: what one model class declares and inherits.
  public final class Entity: @unchecked Sendable {
    // Parents and children are set once, while the schema is made.

    /// The simple name of the model class.
    public let name: String
    /// The attributes that the class declares.
    public let attributes: [Attribute]
    /// The relationships that the class declares.
    public let relationships: [Relationship]
    /// The attributes that it inherits.
    public let inheritedAttributes: [Attribute]
    /// The relationships that it inherits.
    public let inheritedRelationships: [Relationship]
    /// Sets of properties whose values, taken together, name one object.
    public let uniquenessConstraints: [[String]]
    /// Sets of properties that are indexed for queries.
    public let indices: [[String]]
    /// The name of the entity that it inherits from.
    public let superentityName: String?
    /// The entity that it inherits from.
    public private(set) weak var superentity: Entity?
    /// The entities that inherit from it.
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

    /// Reads an entity of a schema that was saved.
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

    /// All properties that the class declares.
    public var properties: [any SchemaProperty] { attributes + relationships }
    /// The declared properties that are kept in the store.
    public var storedProperties: [any SchemaProperty] { properties.filter { !$0.isTransient } }
    /// All properties that the class inherits.
    public var inheritedProperties: [any SchemaProperty] {
      inheritedAttributes + inheritedRelationships
    }
    /// The declared attributes by their names.
    public var attributesByName: [String: Attribute] { attributes.keyed(by: \.name) }
    /// The declared relationships by their names.
    public var relationshipsByName: [String: Relationship] { relationships.keyed(by: \.name) }
    /// The declared properties that are kept in the store, by their names.
    public var storedPropertiesByName: [String: any SchemaProperty] {
      storedProperties.keyed(by: \.name)
    }
    /// All properties that the class inherits, by their names.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      inheritedProperties.keyed(by: \.name)
    }
    /// The name under which code generators know the class.
    public var mangledName: String {
      description.map { _mangledTypeName($0.type) ?? String(reflecting: $0.type) } ?? name
    }

    /// The entities of model classes, with their parents and children set.
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
  /// Entities are equal when they declare the same.
  public static func == (left: Schema.Entity, right: Schema.Entity) -> Bool {
    left === right
      || (left.name == right.name && left.superentityName == right.superentityName
        && left.properties.map(\.name) == right.properties.map(\.name)
        && left.uniquenessConstraints == right.uniquenessConstraints)
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
