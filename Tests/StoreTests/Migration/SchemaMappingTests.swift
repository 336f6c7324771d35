import Testing

@testable import Changes
@testable import Store

@Suite("Old entities and properties that new ones continue")
struct SchemaMappingTests {
  /// A part named in the form `name` or `name<original`.
  private func attribute(_ text: String) -> Attribute {
    let names = text.split(separator: "<").map(String.init)
    var attribute = Attribute(name: names[0], type: .string)
    attribute.originalName = names.count > 1 ? names[1] : nil
    return attribute
  }

  private func entity(_ text: String) -> Entity {
    let names = text.split(separator: "<").map(String.init)
    return Entity(name: names[0], originalName: names.count > 1 ? names[1] : nil)
  }

  private func words(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init)
  }

  /// For each new part, the name of the old part that it continues, or a hyphen.
  private func origins(_ old: String, _ new: String) throws -> String {
    func schema(_ version: String, _ text: String) -> StoreSchema {
      StoreSchema(
        version: version,
        entities: [Entity(name: "E", attributes: words(text).map(attribute))]
      )
    }
    let mapping = try SchemaMapping(from: schema("1", old), to: schema("2", new))
    let attributes = mapping.to.entities[0].attributes.map {
      mapping.source(of: $0, in: 0)?.name ?? "-"
    }
    return attributes.joined(separator: " ")
  }

  @Test("An attribute continues the old attribute with its name or with its original name.")
  func attributes() throws {
    let cases: [(old: String, new: String, origins: String)] = [
      // Without an original name, only the name matters.
      ("a", "a", "a"), ("a", "b", "-"), ("a b", "b a", "b a"), ("a", "a<a", "a"),
      // An original name that the old schema has.
      ("a", "b<a", "a"), ("a c", "b<a c", "a c"),
      // The new schema still has the original name.
      ("a", "a b<a", "a -"), ("a", "b<a a", "- a"), ("a", "a<a b<a", "a -"),
      ("a b", "a b<a", "a b"),
      // The new attribute with the original name was itself another attribute.
      ("a c", "b<a a<c", "a c"), ("a b", "b<a a<b", "a b"),
      // The old attribute was already renamed from the same original name.
      ("b<a", "b<a", "b<a"), ("b<a a", "b<a a", "b a"), ("a b<a", "b<a", "b"),
      // The old schema does not have the original name.
      ("b", "b<a", "b"), ("c", "b<a", "-"), ("b", "b<a c<b", "- b"), ("b c", "b<a c", "b c"),
      ("b c", "b<a c<b", "- b"),
    ]
    for (old, new, expected) in cases {
      let wanted = words(expected).map { String($0.split(separator: "<")[0]) }
      #expect(try origins(old, new) == wanted.joined(separator: " "), "\(old) → \(new)")
    }
  }

  @Test("An entity continues the old entity, and the entities that nothing continues are removed.")
  func entities() throws {
    func mapping(_ old: String, _ new: String) throws -> SchemaMapping {
      try SchemaMapping(
        from: StoreSchema(version: "1", entities: words(old).map(entity)),
        to: StoreSchema(version: "2", entities: words(new).map(entity))
      )
    }
    let renamed = try mapping("A B C", "A D<B E")
    #expect(renamed.to.entities.map(\.name) == ["A", "D", "E"])
    #expect(renamed.sources == [0, 1, nil])
    #expect(renamed.removed == [2])
    #expect([0, 1, 2].map { renamed.successor(of: $0) } == [0, 1, nil])
    #expect([0, 1, 2].map { renamed.oldEntity($0)?.name } == ["A", "B", nil])
    #expect(renamed.source(of: attribute("x"), in: 2) == nil)
    let same = try mapping("A", "A")
    #expect(same.removed == [] && same.sources == [0])
  }

  @Test("A reference loses its object only if an entity of a family in one table is removed.")
  func lostReferences() throws {
    let alone = [Entity(name: "A", sharesTable: true)]
    let family = alone + [Entity(name: "B", parent: "A", table: "A", sharesTable: true)]
    func isLost(_ new: [Entity], areRemovalsDone: Bool) throws -> String? {
      let mapping = try SchemaMapping(
        from: StoreSchema(version: "1", entities: family),
        to: StoreSchema(version: "2", entities: new),
        areRemovalsDone: areRemovalsDone
      )
      return mapping.isLost("\"x\"", of: mapping.oldLayouts[0])
    }
    #expect(try isLost(family, areRemovalsDone: false) == nil)
    #expect(try isLost(family, areRemovalsDone: true) == nil)
    #expect(
      try isLost(alone, areRemovalsDone: false)
        == #""x" IN (SELECT "id" FROM "A" WHERE "_entity" IN ('B'))"#
    )
    #expect(
      try isLost(alone, areRemovalsDone: true) == #""x" NOT IN (SELECT "id" FROM "A")"#
    )
  }

  @Test("Links are read from their table, even if one of its columns has the name id.")
  func linksWithColumnID() throws {
    func schema(_ version: String, _ storage: Relationship.Storage) -> StoreSchema {
      let tags = Relationship(name: "tags", destination: "Tag", isToMany: false, storage: storage)
      return StoreSchema(
        version: version,
        entities: [Entity(name: "id", relationships: [tags]), Entity(name: "Tag")]
      )
    }
    let mapping = try SchemaMapping(
      from: schema("1", .joinTable("links", source: "id", target: "Tag")),
      to: schema("2", .column("tags"))
    )
    let owner = try #require(mapping.to.index(of: "id"))
    let column = try #require(mapping.rows(of: owner)?.columns.first)
    #expect(
      column.singleLink
        == LinkSource(table: "\"links\"", source: "\"id\"", target: "\"Tag\"", conditions: [])
    )
    #expect(
      column.expression
        == #"(SELECT "target" FROM (SELECT "id" AS "source", "Tag" AS "target" FROM "links")"#
        + #" WHERE "source" = "store_old"."id")"#
    )
  }

  @Test("A table gets the required column with the entity of each row only if it is rebuilt.")
  func entityColumn() throws {
    let mapping = try SchemaMapping(
      from: StoreSchema(version: "1", entities: [Entity(name: "A")]),
      to: StoreSchema(version: "2", entities: [Entity(name: "A", sharesTable: true)])
    )
    #expect(try mapping.tables().map(\.way) == [.rebuilt])
  }
}
