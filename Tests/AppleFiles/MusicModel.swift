extension FileModel {
  /// A collection of music: a family in one table, composites, and every kind of relationship.
  package static let music = FileModel(entities: [
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
