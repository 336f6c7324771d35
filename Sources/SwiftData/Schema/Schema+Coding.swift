extension Schema.Entity: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, superentity, attributes, relationships, inheritedAttributes
    case inheritedRelationships, uniquenessConstraints, indices
  }

  /// Reads an entity of a schema that was saved.
  public convenience init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      decoded: try values.decode(String.self, forKey: .name),
      attributes: try values.decode([CodedAttribute].self, forKey: .attributes).map(\.attribute),
      relationships: try values.decode([CodedRelationship].self, forKey: .relationships)
        .map(\.relationship),
      inheritedAttributes: try values.decode([CodedAttribute].self, forKey: .inheritedAttributes)
        .map(\.attribute),
      inheritedRelationships: try values.decode(
        [CodedRelationship].self,
        forKey: .inheritedRelationships
      ).map(\.relationship),
      uniquenessConstraints: try values.decode([[String]].self, forKey: .uniquenessConstraints),
      indices: try values.decode([[String]].self, forKey: .indices),
      superentityName: try values.decodeIfPresent(String.self, forKey: .superentity)
    )
  }

  /// Writes the entity.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(superentityName, forKey: .superentity)
    try values.encode(attributes.map(CodedAttribute.init), forKey: .attributes)
    try values.encode(relationships.map(CodedRelationship.init), forKey: .relationships)
    try values.encode(inheritedAttributes.map(CodedAttribute.init), forKey: .inheritedAttributes)
    try values.encode(
      inheritedRelationships.map(CodedRelationship.init),
      forKey: .inheritedRelationships
    )
    try values.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
    try values.encode(indices, forKey: .indices)
  }
}

/// An attribute as it is written; a type is written as its name, and read as none.
private struct CodedAttribute: Codable {
  var name: String
  var originalName: String
  var options: [Schema.Attribute.Option]
  var type: String
  var isOptional: Bool

  init(_ attribute: Schema.Attribute) {
    name = attribute.name
    originalName = attribute.originalName
    options = attribute.options
    type = String(reflecting: attribute.valueType)
    isOptional = attribute.isOptional
  }

  var attribute: Schema.Attribute {
    Schema.Attribute(
      name: name,
      options: options,
      originalName: originalName,
      valueType: isOptional ? Never?.self : Never.self
    )
  }
}

/// A relationship as it is written.
private struct CodedRelationship: Codable {
  var name: String
  var originalName: String
  var destination: String
  var deleteRule: Schema.Relationship.DeleteRule
  var inverse: String?
  var isOptional: Bool
  var isToOne: Bool
  var minimum: Int?
  var maximum: Int?
  var options: [Schema.Relationship.Option]

  init(_ relationship: Schema.Relationship) {
    name = relationship.name
    originalName = relationship.originalName
    destination = relationship.destination
    deleteRule = relationship.deleteRule
    inverse = relationship.inverseName
    isOptional = relationship.isOptional
    isToOne = relationship.isToOneRelationship
    minimum = relationship.minimumModelCount
    maximum = relationship.maximumModelCount
    options = relationship.options
  }

  var relationship: Schema.Relationship {
    Schema.Relationship(
      decoded: name,
      originalName: originalName,
      destination: destination,
      deleteRule: deleteRule,
      inverseName: inverse,
      isOptional: isOptional,
      isToOne: isToOne,
      minimum: minimum,
      maximum: maximum,
      options: options
    )
  }
}
