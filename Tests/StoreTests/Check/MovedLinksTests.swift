import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Checks of links that a migration moved")
struct MovedLinksTests {
  private static func relationship(
    _ name: String,
    to destination: String,
    inverse: String? = nil,
    isToMany: Bool,
    storage: Relationship.Storage
  ) -> Relationship {
    Relationship(
      name: name,
      destination: destination,
      isToMany: isToMany,
      inverse: inverse,
      storage: storage
    )
  }

  private static func schema(_ version: String, _ entities: [Entity]) -> StoreSchema {
    let name = Attribute(name: "name", type: .string)
    let named = entities.map { entity in
      var entity = entity
      entity.attributes = [name]
      return entity
    }
    return StoreSchema(version: version, entities: named.sorted { $0.name < $1.name })
  }

  /// Guests who know many places; the entity whose name is first owns the links.
  private static func many(_ version: String, place name: String = "Place") -> StoreSchema {
    let own = relationship(
      "place",
      to: name,
      inverse: "guests",
      isToMany: true,
      storage: .joinTable("links", source: "guest", target: "place")
    )
    let other = relationship(
      "guests",
      to: "Guest",
      inverse: "place",
      isToMany: true,
      storage: .joinTable("links", source: "place", target: "guest")
    )
    let original = name == "Place" ? "Area" : "Place"
    return schema(
      version,
      [
        Entity(name: "Guest", relationships: [own]),
        Entity(name: name, relationships: [other], originalName: original),
      ]
    )
  }

  /// Guests who know one place.
  private static func one(_ version: String) -> StoreSchema {
    let own = relationship(
      "place",
      to: "Place",
      inverse: "guests",
      isToMany: false,
      storage: .column("place")
    )
    let other = relationship(
      "guests",
      to: "Guest",
      inverse: "place",
      isToMany: true,
      storage: .inverseColumn("place")
    )
    return schema(
      version,
      [
        Entity(name: "Guest", relationships: [own]),
        Entity(name: "Place", relationships: [other], originalName: "Area"),
      ]
    )
  }

  /// Places that know one guest.
  private static func inverse(_ version: String) -> StoreSchema {
    let own = relationship(
      "place",
      to: "Place",
      inverse: "guests",
      isToMany: true,
      storage: .inverseColumn("guests")
    )
    let other = relationship(
      "guests",
      to: "Guest",
      inverse: "place",
      isToMany: false,
      storage: .column("guests")
    )
    return schema(
      version,
      [
        Entity(name: "Guest", relationships: [own]),
        Entity(name: "Place", relationships: [other], originalName: "Area"),
      ]
    )
  }

  private static let successions: [[StoreSchema]] = [
    [many("1"), many("2", place: "Area")],
    [many("1"), many("2", place: "Area"), many("3")],
    [one("1"), many("2")],
    [one("1"), many("2", place: "Area"), one("3")],
    [one("1"), many("2"), inverse("3")],
    [many("1"), one("2")],
    [many("1", place: "Area"), inverse("2"), many("3")],
  ]

  /// Links guest 1 to place 2, and guest 2 to place 1; guest 3 has no place.
  private func fill(_ writer: Writer) throws {
    let layouts = writer.layouts
    let join = joinTables(among: layouts).first
    for layout in layouts {
      for id in 1...3 as ClosedRange<Int64> {
        let isLinked = layout.columns.count > 1 && id < 3
        let reference = isLinked ? [Value.integer(3 - id)] : layout.columns.count > 1 ? [.null] : []
        try writer.insert(layout.index, id: id, values: [.text("\(id)")] + reference)
      }
    }
    guard join != nil else { return }
    for id in 1...2 as ClosedRange<Int64> {
      try writer.setLink(0, owner: id, other: 3 - id, isLinked: true)
    }
  }

  private func check(_ url: URL) throws -> (findings: [String], unknown: Int64) {
    var findings: [String] = []
    let result = try Store.open(.file(url)).check { findings.append($0.description) }
    return (findings, result.unknown)
  }

  @Test("Links are compared after a migration moved them.", arguments: successions.indices)
  func moved(_ number: Int) throws {
    let schemas = Self.successions[number]
    try withStoreFile(
      schemas[0],
      fill: fill,
      { url in
        for schema in schemas.dropFirst() {
          try Migration.migrate(url, to: schema, author: Author())
          #expect(try check(url) == ([], 0), "\(schema.version)")
        }
        let last = try #require(schemas.last)
        let layouts = try last.layouts()
        let holder = layouts.first { $0.columns.count > 1 }
        // Links that are written later belong to the present schema.
        try Store.open(.file(url)).write(Author()) { writer in
          if let holder {
            try writer.update(holder.index, id: 3, columns: [1], values: [.integer(3)])
            try writer.update(holder.index, id: 1, columns: [1], values: [.null])
          } else {
            try writer.setLink(0, owner: 3, other: 3, isLinked: true)
            try writer.setLink(0, owner: 1, other: 2, isLinked: false)
          }
        }
        #expect(try check(url) == ([], 0))
        let connection = try Connection(path: url.path(percentEncoded: false), mode: .readWrite)
        try connection.setTriggers(enabled: false)
        for sql in holder.map({ layout in
          [
            "UPDATE \(layout.table) SET \(layout.columns[1].quoted) = NULL WHERE id = 2",
            "UPDATE \(layout.table) SET \(layout.columns[1].quoted) = 2 WHERE id = 1",
          ]
        }) ?? [
          "DELETE FROM links WHERE guest = 3", "INSERT INTO links (guest, place) VALUES (1, 1)",
        ] {
          try connection.execute(sql)
        }
        let found = try check(url)
        #expect(found.findings.count == 2 && found.unknown == 0, "\(found)")
      }
    )
  }

  @Test("A relationship that a migration added has no links until history has one.")
  func added() throws {
    let bare = Self.schema("1", [Entity(name: "Guest"), Entity(name: "Place")])
    try withStoreFile(bare, fill: fill) { url in
      try Migration.migrate(url, to: Self.many("2"), author: Author())
      #expect(try check(url) == ([], 0))
      let connection = try Connection(path: url.path(percentEncoded: false), mode: .readWrite)
      try connection.setTriggers(enabled: false)
      try connection.execute("INSERT INTO links (guest, place) VALUES (1, 1)")
      let found = try check(url)
      #expect(found.findings.count == 1 && found.unknown == 0)
    }
  }
}
