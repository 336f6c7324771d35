import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

@Suite("Migration of entities")
struct EntityMigrationTests {
  @Test("Entities are added and removed; history records the deletions under the old schema.")
  func addAndRemove() throws {
    let old = sampleSchema
    try withStoreFile(
      old,
      fill: { writer in
        try writer.insert(person, id: 1, values: [.text("Ada")])
        try writer.insert(trip, id: 1, values: tripValues("Oslo", leader: 1))
        try writer.insert(tag, id: 9, values: [.text("north")])
        try writer.link(tag, relationship: "trips", source: 9, target: 1)
      }
    ) { url in
      var trip = try #require(old["Trip"])
      trip.relationships.removeAll { $0.name == "tags" }
      let new = second(
        trip,
        try #require(old["Item"]),
        try #require(old["Person"]),
        Entity(name: "Hotel", attributes: [Attribute(name: "name", type: .string)])
      )
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT name, leader FROM Trip", in: store) == ["Oslo|1"])
      #expect(
        try transactions(of: store) == [
          "recorded|1.0.0|app|3", "migration|1.0.0|migrator|1", "migration|2.0.0|migrator|0",
        ]
      )
      #expect(
        try lastChanges(of: store) == [
          "delete Tag 9 {\"word\":\"north\",\"trips\":[{\"entity\":\"Trip\",\"id\":\"1\"}]}"
        ]
      )
      #expect(try rows("SELECT name FROM sqlite_schema WHERE name GLOB 'Tag*'", in: store) == [])
    }
  }

  @Test("An entity is renamed, with all references to it.")
  func rename() throws {
    try withStoreFile(
      sampleSchema,
      fill: { writer in
        try writer.insert(person, id: 3, values: [.text("Ada")])
        try writer.insert(trip, id: 5, values: tripValues("Oslo", leader: 3))
        try writer.insert(item, id: 1, values: itemValues("Fjord", trip: 5))
        try writer.insert(tag, id: 9, values: [.text("north")])
        try writer.link(tag, relationship: "trips", source: 9, target: 5)
      }
    ) { url in
      var new = sampleSchema
      new.version = "2.0.0"
      for entity in new.entities.indices {
        for index in new.entities[entity].relationships.indices
        where new.entities[entity].relationships[index].destination == "Trip" {
          new.entities[entity].relationships[index].destination = "Journey"
        }
      }
      new.entities[trip].name = "Journey"
      new.entities[trip].table = "Journey"
      new.entities[trip].originalName = "Trip"
      new.entities[trip].relationships[2].storage =
        .joinTable("Journey_tags", source: "Journey", target: "Tag")
      new.entities[tag].relationships[0].storage =
        .joinTable("Journey_tags", source: "Tag", target: "Journey")
      new = StoreSchema(version: "2.0.0", entities: new.entities)
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT id, name, leader FROM Journey", in: store) == ["5|Oslo|3"])
      #expect(try rows("SELECT title, trip FROM Item", in: store) == ["Fjord|5"])
      #expect(try rows("SELECT * FROM Journey_tags", in: store) == ["5|9"])
      let next = try store.write(Author()) { try $0.reserveIDs("Journey", count: 1) }
      #expect(next == 6)
    }
  }

  @Test("Two entities swap their names.")
  func swap() throws {
    func entity(_ name: String, _ original: String? = nil) -> Entity {
      Entity(
        name: name,
        attributes: [Attribute(name: "text", type: .string)],
        indexes: [["text"]],
        originalName: original
      )
    }
    try withStoreFile(
      first(entity("A"), entity("B")),
      fill: { writer in
        try writer.insert(0, id: 1, values: [.text("was A")])
        try writer.insert(1, id: 8, values: [.text("was B")])
      }
    ) { url in
      let store = try migrate(url, to: second(entity("A", "B"), entity("B", "A")))
      #expect(try rows("SELECT id, text FROM A", in: store) == ["8|was B"])
      #expect(try rows("SELECT id, text FROM B", in: store) == ["1|was A"])
    }
  }

  static let name = Attribute(name: "name", type: .string)

  /// A trip with a relationship to a place, which may have heirs.
  static func family(isFamily: Bool, version: String, withHotel: Bool = true) -> StoreSchema {
    let stars = Attribute(name: "stars", type: .int64, defaultValue: .integer(1))
    var entities = [
      Entity(name: "Place", sharesTable: isFamily, attributes: [name], indexes: [["name"]]),
      Entity(
        name: "Trip",
        attributes: [name],
        relationships: [
          Relationship(
            name: "place",
            destination: "Place",
            isToMany: false,
            storage: .column("place")
          )
        ]
      ),
    ]
    if isFamily {
      entities.append(
        Entity(
          name: "Museum",
          parent: "Place",
          table: "Place",
          sharesTable: true,
          attributes: [name],
          indexes: [["name"]]
        )
      )
      if withHotel {
        entities.append(
          Entity(
            name: "Hotel",
            parent: "Place",
            table: "Place",
            sharesTable: true,
            attributes: [name, stars],
            uniques: [["stars"]],
            indexes: [["name"]]
          )
        )
      }
    }
    return StoreSchema(version: version, entities: entities)
  }

  @Test("An entity gets heirs, and loses them again.")
  func inheritance() throws {
    let old = Self.family(isFamily: false, version: "1")
    try withStoreFile(
      old,
      fill: { writer in
        try writer.insert(0, id: 4, values: [.text("Bergen")])
        try writer.insert(1, id: 1, values: [.text("t"), .integer(4)])
      }
    ) { url in
      let new = Self.family(isFamily: true, version: "2")
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT id, _entity, name FROM Place", in: store) == ["4|Place|Bergen"])
      #expect(try rows("SELECT count(*) FROM Hotel", in: store) == ["0"])
      try store.write(Author(name: "app")) { writer in
        try writer.insert(0, id: 5, values: [.text("Grand"), .integer(5)])
        try writer.insert(1, id: 6, values: [.text("Munch")])
        try writer.insert(3, id: 2, values: [.text("u"), .integer(5)])
      }
      let less = try migrate(url, to: Self.family(isFamily: true, version: "3", withHotel: false))
      // References to a hotel become null, and history records that.
      #expect(try rows("SELECT name, place FROM Trip", in: less) == ["t|4", "u|null"])
      #expect(
        try history(of: less).suffix(2).map(\.text) == [
          "delete Hotel 5 {\"name\":\"Grand\",\"stars\":5}",
          "update Trip 2 [\"place\"] {\"place\":{\"entity\":\"Place\",\"id\":\"5\"}} {\"place\":null}",
        ]
      )
      let alone = try migrate(url, to: Self.family(isFamily: false, version: "4"))
      #expect(try rows("SELECT id, name FROM Place", in: alone) == ["4|Bergen"])
      #expect(try alone.write(Author()) { try $0.reserveIDs("Place", count: 1) } == 7)
    }
  }

  @Test("An entity leaves its family with its rows, unless links to the family would dangle.")
  func leaving() throws {
    try withStoreFile(
      Self.family(isFamily: true, version: "1"),
      fill: { writer in
        try writer.insert(1, id: 6, values: [.text("Munch")])
        try writer.insert(2, id: 7, values: [.text("Bergen")])
        try writer.insert(3, id: 1, values: [.text("t"), .integer(6)])
      }
    ) { url in
      var new = Self.family(isFamily: true, version: "2")
      new.entities[1].parent = nil
      new.entities[1].table = "Museum"
      new.entities[1].sharesTable = false
      let error = try storeError { _ = try migrate(url, to: new) }
      #expect(error.code == .missingReference)
      try Store.open(.file(url)).write(Author()) {
        try $0.update(3, id: 1, columns: [1], values: [.integer(7)])
      }
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT id, name FROM Museum", in: store) == ["6|Munch"])
      #expect(try rows("SELECT id, name FROM Place", in: store) == ["7|Bergen"])
    }
  }
}
