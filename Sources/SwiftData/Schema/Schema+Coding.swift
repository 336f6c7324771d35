extension Schema.Entity: Codable {
  /// Encodes the entity; types are encoded as their names.
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

/// An attribute in encoded form; its type is only a name, and decoding does not restore the type.
struct CodedAttribute: Codable {
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

struct CodedRelationship: Codable {
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
}
