/// A model that the tests archive as Core Data does.
package struct FileModel: Sendable {
  package var entities: [Entity]
  /// Whether each leaf of a composite has a bit of its own, which is not known of real files.
  package var leavesHaveBits = false

  package init(entities: [Entity]) { self.entities = entities }

  package struct Entity: Sendable {
    package var name: String
    package var parent: String?
    package var attributes: [Attribute]
    package var relationships: [Relationship]
    package var uniques: [[String]]
    package var isAbstract: Bool
    /// The name in the model before, if it was another one.
    package var renaming: String?

    package init(
      name: String,
      parent: String? = nil,
      attributes: [Attribute] = [],
      relationships: [Relationship] = [],
      uniques: [[String]] = [],
      isAbstract: Bool = false,
      renaming: String? = nil
    ) {
      self.name = name
      self.parent = parent
      self.attributes = attributes
      self.relationships = relationships
      self.uniques = uniques
      self.isAbstract = isAbstract
      self.renaming = renaming
    }
  }

  package struct Attribute: Sendable {
    package var name: String
    /// The number that Core Data gives the type, such as 700 for texts.
    package var type: Int64
    package var isOptional: Bool
    /// 4 for values in files of their own, 16 for values that history keeps.
    package var flags: Int64
    package var transformer: String?
    package var elements: [Attribute]
    package var isEnumeration: Bool
    package var kind: String
    package var isTransient: Bool
    /// The value that a migration writes when it adds the attribute.
    package var initial: FileValue
    package var renaming: String?

    package init(
      name: String,
      type: Int64,
      isOptional: Bool = true,
      flags: Int64 = 0,
      transformer: String? = nil,
      elements: [Attribute] = [],
      isEnumeration: Bool = false,
      kind: String = "NSAttributeDescription",
      isTransient: Bool = false,
      initial: FileValue = .null,
      renaming: String? = nil
    ) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.flags = flags
      self.transformer = transformer
      self.elements = elements
      self.isEnumeration = isEnumeration
      self.kind = kind
      self.isTransient = isTransient
      self.initial = initial
      self.renaming = renaming
    }

    /// The attributes with a column: the attribute itself, or the leaves of a composite.
    package var leaves: [Attribute] { type == 2100 ? elements.flatMap(\.leaves) : [self] }
  }

  package struct Relationship: Sendable {
    package var name: String
    package var destination: String
    package var inverse: String?
    /// The highest number of objects; 0 stands for any number.
    package var maximum: Int64
    package var isOrdered: Bool
    /// 0 stands for no action, 1 nullify, 2 cascade, and 3 deny.
    package var deleteRule: Int64
    package var isOptional: Bool
    package var renaming: String?

    package init(
      name: String,
      destination: String,
      inverse: String? = nil,
      maximum: Int64 = 1,
      isOrdered: Bool = false,
      deleteRule: Int64 = 1,
      isOptional: Bool = true,
      renaming: String? = nil
    ) {
      self.name = name
      self.destination = destination
      self.inverse = inverse
      self.maximum = maximum
      self.isOrdered = isOrdered
      self.deleteRule = deleteRule
      self.isOptional = isOptional
      self.renaming = renaming
    }

    package var isToMany: Bool { maximum != 1 }
  }

  /// The archive, without compression.
  package func archive() -> [UInt8] {
    let builder = ArchiveBuilder()
    let model = builder.reserve()
    let places = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, builder.reserve()) })
    for entity in entities {
      var properties = own(entity, builder)
      var ancestor = entity.parent
      var seen: Set = [entity.name]
      while let name = ancestor, seen.insert(name).inserted,
        let parent = entities.first(where: { $0.name == name })
      {
        // One inherited property is a proxy, the others are copies.
        properties += own(parent, builder).enumerated().map { index, property in
          guard index == 0 else { return property }
          return (
            property.0,
            builder.object("_NSPropertyDescriptionProxy", [("NSUnderlyingProperty", property.1)])
          )
        }
        ancestor = parent.parent
      }
      builder.set(
        places[entity.name] ?? 0,
        "NSEntityDescription",
        [
          ("NSEntityName", builder.text(entity.name)),
          ("NSSuperentity", .uid(entity.parent.flatMap { places[$0] } ?? 0)),
          ("NSProperties", builder.dictionary(properties, "NSMutableDictionary")),
          ("NSIsAbstract", .bool(entity.isAbstract)),
          ("NSRenamingIdentifier", builder.text(entity.renaming ?? entity.name)),
          (
            "NSUniqueTuples",
            builder.list(entity.uniques.map { builder.list($0.map { builder.text($0) }) })
          ),
        ]
      )
    }
    builder.set(
      model,
      "NSManagedObjectModel",
      [("NSEntities", builder.knownKeys(entities.map { ($0.name, .uid(places[$0.name] ?? 0)) }))]
    )
    return builder.bytes(root: .uid(model))
  }

  private func own(_ entity: Entity, _ builder: ArchiveBuilder) -> [(String, Plist)] {
    entity.attributes.map { ($0.name, attribute($0, builder)) }
      + entity.relationships.map { ($0.name, relationship($0, builder)) }
      + [
        (
          "fetched",
          builder.object("NSFetchedPropertyDescription", [("NSIsTransient", .bool(true))])
        )
      ]
  }

  private func attribute(_ attribute: Attribute, _ builder: ArchiveBuilder) -> Plist {
    var members: [(String, Plist)] = [
      ("NSPropertyName", builder.text(attribute.name)),
      ("NSAttributeType", .integer(attribute.type)), ("NSFlagsKey", .integer(attribute.flags)),
      ("NSIsOptional", .bool(attribute.isOptional)),
      ("NSIsTransient", .bool(attribute.isTransient)),
      ("NSValueTransformerName", builder.text(attribute.transformer)),
      ("NSRenamingIdentifier", builder.text(attribute.renaming ?? attribute.name)),
    ]
    if attribute.type == 2100 {
      let elements = attribute.elements.map { self.attribute($0, builder) }
      members.append(("NSCompositeElements", builder.list(elements)))
    }
    if attribute.isEnumeration {
      var information = [("EnumType", builder.add(.bool(true)))]
      if attribute.elements.map(\.name) != [attribute.name] {
        information.append(("enum", builder.list(attribute.elements.map { builder.text($0.name) })))
      }
      members.append(("NSUserInfo", builder.dictionary(information)))
    }
    return builder.object(
      attribute.type == 2100 ? "NSCompositeAttributeDescription" : attribute.kind,
      members
    )
  }

  private func relationship(_ value: Relationship, _ builder: ArchiveBuilder) -> Plist {
    builder.object(
      "NSRelationshipDescription",
      [
        ("NSPropertyName", builder.text(value.name)),
        ("_NSDestinationEntityName", builder.text(value.destination)),
        ("_NSInverseRelationshipName", builder.text(value.inverse)),
        ("NSMaxCount", .integer(value.maximum)), ("NSMinCount", .integer(0)),
        ("NSIsOrdered", .bool(value.isOrdered)), ("NSDeleteRule", .integer(value.deleteRule)),
        ("NSIsOptional", .bool(value.isOptional)),
        ("NSRenamingIdentifier", builder.text(value.renaming ?? value.name)),
      ]
    )
  }
}
