import TestSupport
import Testing

@testable import Changes

@Suite("The tables and columns of entities")
struct EntityLayoutTests {
  @Test("The columns of an entity are its attributes and then its references.")
  func columns() throws {
    let layouts = try tripSchema.layouts()
    #expect(layouts.map(\.entity.name) == ["Item", "Person", "Tag", "Trip"])
    #expect(layouts.map(\.index) == [0, 1, 2, 3])
    #expect(layouts.map(\.table) == ["\"Item\"", "\"Person\"", "\"Tag\"", "\"Trip\""])
    let trip = layouts[3]
    #expect(trip.columns.map(\.name) == ["name", "startDate", "rating", "leader"])
    #expect(trip.columns.map(\.logName) == ["name", "startDate", "rating", "leader"])
    #expect(trip.columns.map(\.type) == [.string, .date, .double, nil])
    #expect(trip.columns.map(\.isOptional) == [false, false, true, true])
    #expect(trip.columns.map(\.isExternal) == [false, false, false, false])
    #expect(trip.columns.map(\.destination) == [nil, nil, nil, 1])
    #expect(
      trip.columns.map(\.content)
        == [.attribute(0), .attribute(1), .attribute(2), .relationship(1)]
    )
    #expect(trip.columnList == #""name", "startDate", "rating", "leader""#)
    #expect(trip.column(of: "leader") == 3 && trip.column(of: "name") == 0)
    #expect(trip.column(of: "tags") == nil && trip.column(of: "items") == nil)
    #expect(!trip.sharesTable && trip.condition == nil)
  }

  @Test("Only relationships with a table of pairs have a name of links.")
  func links() throws {
    let layouts = try tripSchema.layouts()
    #expect(layouts.map(\.linkNames) == [[:], [:], ["trips": "trips"], ["tags": "tags"]])
    let tables = joinTables(among: layouts)
    #expect(tables.map(\.name) == ["Tag_trips"])
    #expect(tables[0].owner == 2 && tables[0].relationship == 0 && tables[0].destination == 3)
    #expect(tables[0].firstColumn == "Tag" && tables[0].secondColumn == "Trip")
    #expect(tables[0].firstTable == "\"Tag\"" && tables[0].secondTable == "\"Trip\"")
    #expect(tables[0].logName(layouts) == "trips")
  }

  private func family() -> [Entity] {
    [
      Entity(name: "Base", sharesTable: true, attributes: [Attribute(name: "a", type: .string)]),
      Entity(name: "C's", parent: "Middle", table: "Base", sharesTable: true),
      Entity(name: "Middle", parent: "Base", table: "Base", sharesTable: true),
      Entity(name: "Other"),
    ]
  }

  @Test("An entity knows its ancestors and descendants, and the condition of its rows.")
  func families() throws {
    let layouts = try StoreSchema(version: "1", entities: family()).layouts()
    #expect(layouts.map(\.ancestors) == [[], [2, 0], [0], []])
    #expect(layouts.map(\.family) == [[0, 1, 2], [1], [2, 1], [3]])
    #expect(layouts.map(\.sharesTable) == [true, true, true, false])
    #expect(
      layouts.map(\.condition) == [
        nil, #""_entity" = 'C''s'"#, #"("_entity" = 'Middle' OR "_entity" = 'C''s')"#, nil,
      ]
    )
  }

  @Test("A schema with a repeated or missing entity, or a circle of parents, is refused.")
  func refused() {
    func message(_ entities: [Entity]) -> String? {
      let error = #expect(throws: StoreError.self) {
        try StoreSchema(version: "1", entities: entities).layouts()
      }
      #expect(error?.code == .invalidSchema)
      return error?.description
    }
    #expect(
      message([Entity(name: "A"), Entity(name: "B"), Entity(name: "A")])
        == "The schema has two entities named A. Rename one of them."
    )
    let missing = "A refers to B, which is not in the schema. Add B to the schema."
    #expect(message([Entity(name: "A", parent: "B")]) == missing)
    let circle = "is its own ancestor. Give it another parent, or none."
    #expect(message([Entity(name: "A", parent: "A")]) == "The entity A \(circle)")
    #expect(
      message([Entity(name: "A", parent: "B"), Entity(name: "B", parent: "A")])
        == "The entity B \(circle)"
    )
    #expect(
      message([
        Entity(name: "A", parent: "B"), Entity(name: "B", parent: "C"),
        Entity(name: "C", parent: "C"),
      ]) == "The entity C \(circle)"
    )
    let relationship = Relationship(
      name: "b",
      destination: "B",
      isToMany: true,
      storage: .inverseColumn("a")
    )
    #expect(
      message([Entity(name: "A", relationships: [relationship])])
        == "A.b refers to B, which is not in the schema. Add B to the schema."
    )
  }

  @Test("An entity inherits from at most 64 entities, and a schema with more is refused at once.")
  func depth() throws {
    func schema(_ count: Int) -> StoreSchema {
      let names = (0..<count).map { String($0 + 100_000) }
      return StoreSchema(
        version: "1",
        entities: names.indices.map { index in
          Entity(name: names[index], parent: index == 0 ? nil : names[index - 1], table: names[0])
        }
      )
    }
    #expect(try schema(65).layouts().last?.ancestors.count == 64)
    #expect(try schema(65).layouts().first?.family.count == 65)
    let start = ContinuousClock.now
    for count in [66, 14_000] {
      let error = #expect(throws: StoreError.self) { try schema(count).layouts() }
      #expect(error?.code == .invalidSchema && error?.message.contains("100065") == true)
    }
    // The time grew with the third power of the number of entities.
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test("Names and texts are quoted for SQL by doubling the quotes in them.")
  func quotes() {
    #expect(quoted("") == "\"\"" && quoted("a'b") == "\"a'b\"" && quoted("a\"b") == "\"a\"\"b\"")
    #expect(literal("") == "''" && literal("a\"b") == "'a\"b'" && literal("a'b'") == "'a''b'''")
    #expect(Array(literal("'\u{301}").utf8) == Array("''".utf8) + Array("'\u{301}'".utf8))
    #expect(isOne(of: ["a"], column: "c") == "c = 'a'")
    #expect(isOne(of: ["a", "b'"], column: "c") == "(c = 'a' OR c = 'b''')")
  }

  @Test("A name that two properties spell or encode differently is written with its entity.")
  func logNames() throws {
    func names(_ entities: [Entity]) -> [[String: String]] {
      let ancestors = entities.map { entity in
        entities.indices.filter { entities[$0].name == entity.parent }.map { EntityIndex($0) }
      }
      return StoreSchema(version: "1", entities: entities).logNames(ancestors: ancestors)
    }
    func entity(_ name: String, _ property: String, _ type: ValueType) -> Entity {
      Entity(name: name, attributes: [Attribute(name: property, type: type)])
    }
    #expect(
      names([entity("A", "x", .string), entity("B", "x", .url)]) == [["x": "x"], ["x": "x"]]
    )
    #expect(
      names([entity("A", "x", .string), entity("B", "x", .int8)]) == [["x": "A.x"], ["x": "B.x"]]
    )
    #expect(
      names([entity("A", "x", .string), entity("B", "X", .string)]) == [["x": "A.x"], ["X": "B.X"]]
    )
    var child = entity("C", "x", .string)
    child.parent = "A"
    #expect(
      names([entity("A", "x", .string), entity("B", "x", .int8), child])
        == [["x": "A.x"], ["x": "B.x"], ["x": "A.x"]]
    )
    let kinds: [[ValueType]] = [
      [.bool], [.int8, .int16, .int32, .int64, .uint8, .uint16, .uint32],
      [.float16, .float, .double], [.uint64, .decimal], [.string, .url, .json], [.date], [.uuid],
      [.data, .transformed], [.any],
    ]
    #expect(Set(kinds.flatMap(\.self)) == Set(ValueType.allCases))
    for (index, kind) in kinds.enumerated() {
      for (place, other) in kinds.enumerated() {
        let both = names([entity("A", "x", kind[0]), entity("B", "x", other[other.count - 1])])
        #expect(both[0] == ["x": index == place ? "x" : "A.x"])
      }
    }
  }

  private func links(
    _ name: String,
    _ table: String,
    _ source: String,
    _ target: String,
    to destination: String
  ) -> Relationship {
    Relationship(
      name: name,
      destination: destination,
      isToMany: true,
      storage: .joinTable(table, source: source, target: target)
    )
  }

  @Test("A table of pairs belongs to the entity that declares its relationship, not to a child.")
  func inheritedLinks() throws {
    let inherited = links("tags", "J1", "B", "T", to: "T")
    let own = links("own", "J2", "A", "T", to: "T")
    let layouts = try StoreSchema(
      version: "1",
      entities: [
        Entity(name: "A", parent: "B", relationships: [inherited, own]),
        Entity(name: "B", relationships: [inherited]), Entity(name: "T"),
      ]
    )
    .layouts()
    let tables = joinTables(among: layouts)
    #expect(tables.map(\.name) == ["J1", "J2"])
    #expect(tables.map(\.owner) == [1, 0] && tables.map(\.relationship) == [0, 1])
    #expect(tables.map(\.destination) == [2, 2])
    #expect(tables.map(\.firstTable) == ["\"B\"", "\"A\""])
    let decoders = ChangeFormat(layouts).decoders
    #expect(decoders.map { $0.joins.map(\.number) } == [[0, 1], [0], []])
  }

  @Test("A table of pairs of one entity belongs to the relationship whose name is first.")
  func linksToItself() throws {
    let node = Entity(
      name: "N",
      relationships: [
        links("parents", "J", "child", "parent", to: "N"),
        links("children", "J", "parent", "child", to: "N"),
      ]
    )
    let tables = joinTables(among: try StoreSchema(version: "1", entities: [node]).layouts())
    #expect(tables.map(\.relationship) == [1] && tables.map(\.owner) == [0])
    #expect(tables.map(\.firstColumn) == ["parent"] && tables.map(\.secondColumn) == ["child"])
  }

  @Test("Links have the name of their entity in logs if an attribute has the same name.")
  func namesOfLinks() throws {
    let layouts = try StoreSchema(
      version: "1",
      entities: [
        Entity(name: "A", relationships: [links("x", "J", "A", "B", to: "B")]),
        Entity(name: "B", attributes: [Attribute(name: "x", type: .string)]),
      ]
    )
    .layouts()
    #expect(layouts.map(\.linkNames) == [["x": "A.x"], [:]])
    #expect(joinTables(among: layouts).map { $0.logName(layouts) } == ["A.x"])
    #expect(layouts[1].columns.map(\.logName) == ["B.x"])
    #expect(layouts[1].columns.map(\.property) == ["x"])
  }
}
