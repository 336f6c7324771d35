import Format

/// A small schema: trips with items that a deletion cascades to, travellers, and tags.
package let tripSchema = StoreSchema(
  version: "1.0.0",
  entities: [
    Entity(
      name: "Trip",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "startDate", type: .date),
        Attribute(name: "rating", type: .double, isOptional: true),
      ],
      relationships: [
        Relationship(
          name: "items",
          destination: "Item",
          isToMany: true,
          inverse: "trip",
          storage: .inverseColumn("trip"),
          deleteRule: .cascade
        ),
        Relationship(
          name: "leader",
          destination: "Person",
          isToMany: false,
          inverse: "led",
          storage: .column("leader")
        ),
        Relationship(
          name: "tags",
          destination: "Tag",
          isToMany: true,
          inverse: "trips",
          storage: .joinTable("Tag_trips", source: "Trip", target: "Tag")
        ),
      ],
      uniques: [["name"]]
    ),
    Entity(
      name: "Item",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [
        Relationship(
          name: "trip",
          destination: "Trip",
          isToMany: false,
          inverse: "items",
          storage: .column("trip")
        )
      ]
    ),
    Entity(
      name: "Person",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(
          name: "led",
          destination: "Trip",
          isToMany: true,
          inverse: "leader",
          storage: .inverseColumn("leader"),
          deleteRule: .deny
        )
      ]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "word", type: .string)],
      relationships: [
        Relationship(
          name: "trips",
          destination: "Trip",
          isToMany: true,
          inverse: "tags",
          storage: .joinTable("Tag_trips", source: "Tag", target: "Trip")
        )
      ]
    ),
  ]
)
