/// A model that the tests archive as Core Data does.
struct FixtureModel: Sendable {
  struct Entity: Sendable {
    var name: String
    var parent: String?
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    var uniques: [[String]] = []
    var isAbstract = false
    var renaming: String?
  }

  struct Attribute: Sendable {
    var name: String
    var type: Int64
    var isOptional = true
    var flags: Int64 = 0
    var transformer: String?
    var elements: [Attribute] = []
    var isEnumeration = false
    var kind = "NSAttributeDescription"
    var isTransient = false
  }

  struct Relationship: Sendable {
    var name: String
    var destination: String
    var inverse: String?
    var maximum: Int64 = 1
    var isOrdered = false
    var deleteRule: Int64 = 1
    var isOptional = true
  }

  var entities: [Entity]

  /// The archive, without compression.
  func archive() -> [UInt8] {
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
    ]
    if attribute.type == 2100 {
      let elements = attribute.elements.map { self.attribute($0, builder) }
      members.append(("NSCompositeElements", builder.list(elements)))
    }
    if attribute.isEnumeration {
      let information = builder.dictionary([("EnumType", builder.add(.bool(true)))])
      members.append(("NSUserInfo", information))
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
      ]
    )
  }
}

extension FixtureModel {
  /// A collection of music: a family in one table, composites, and every kind of relationship.
  static let music = FixtureModel(entities: [
    Entity(
      name: "Person",
      attributes: [
        Attribute(
          name: "address",
          type: 2100,
          isOptional: false,
          elements: [
            Attribute(name: "street", type: 700), Attribute(name: "zip", type: 200),
            Attribute(name: "tags", type: 1000),
          ]
        ),
        Attribute(
          name: "work",
          type: 2100,
          elements: [Attribute(name: "street", type: 700), Attribute(name: "since", type: 900)]
        ),
        Attribute(
          name: "mood",
          type: 2100,
          elements: [Attribute(name: "mood", type: 700)],
          isEnumeration: true
        ),
        Attribute(
          name: "closeness",
          type: 2100,
          elements: [Attribute(name: "near", type: 700), Attribute(name: "far", type: 700)],
          isEnumeration: true
        ),
        Attribute(name: "aliases", type: 1800, transformer: "NSSecureUnarchiveFromData"),
        Attribute(name: "color", type: 1800, transformer: "ColorTransformer"),
        Attribute(name: "homepage", type: 1200), Attribute(name: "height", type: 600),
        Attribute(name: "shown", type: 700, isTransient: true),
      ],
      relationships: [
        Relationship(name: "favorite", destination: "Item", inverse: "fans"),
        Relationship(name: "passport", destination: "Passport", inverse: "owner", deleteRule: 2),
        Relationship(name: "songs", destination: "Song", inverse: "people", maximum: 0),
        Relationship(name: "notes", destination: "Note", maximum: 0),
      ]
    ),
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: 700, isOptional: false),
        Attribute(name: "id", type: 1100, flags: 16), Attribute(name: "createdAt", type: 900),
      ],
      relationships: [
        Relationship(name: "fans", destination: "Person", inverse: "favorite", maximum: 0)
      ],
      isAbstract: true
    ),
    Entity(
      name: "Song",
      parent: "Item",
      attributes: [
        Attribute(name: "rating", type: 300), Attribute(name: "isLoud", type: 800, flags: 16),
        Attribute(name: "lyrics", type: 1000, flags: 4),
      ],
      relationships: [
        Relationship(name: "album", destination: "Album", inverse: "tracks"),
        Relationship(name: "people", destination: "Person", inverse: "songs", maximum: 0),
      ]
    ),
    Entity(
      name: "Album",
      parent: "Item",
      attributes: [Attribute(name: "rating", type: 100), Attribute(name: "price", type: 400)],
      relationships: [
        Relationship(
          name: "tracks",
          destination: "Song",
          inverse: "album",
          maximum: 0,
          isOrdered: true
        )
      ],
      renaming: "Record"
    ),
    Entity(
      name: "Passport",
      attributes: [Attribute(name: "number", type: 700, isOptional: false)],
      relationships: [Relationship(name: "owner", destination: "Person", inverse: "passport")],
      uniques: [["number"]]
    ),
    Entity(
      name: "Note",
      attributes: [Attribute(name: "text", type: 700), Attribute(name: "position", type: 200)]
    ),
  ])
}
