import Testing

@testable import Format
@testable import Store

@Suite("The plan of a migration")
struct MigrationPlanTests {
  static func steps(_ old: [Attribute], _ new: [Attribute]) throws -> [String] {
    try MigrationPlan(
      from: first(Entity(name: "Trip", attributes: old)),
      to: second(Entity(name: "Trip", attributes: new))
    ).steps.map(\.description)
  }

  @Test("A plan describes added, removed and changed attributes.")
  func attributes() throws {
    let steps = try Self.steps(
      [
        Attribute(name: "name", type: .string), Attribute(name: "days", type: .int16),
        Attribute(name: "note", type: .string, isOptional: true),
        Attribute(name: "stars", type: .float, isOptional: true),
        Attribute(name: "old", type: .data),
      ],
      [
        Attribute(name: "title", type: .string, originalName: "name"),
        Attribute(name: "days", type: .int64, isOptional: true),
        Attribute(name: "note", type: .string, defaultValue: .text("none")),
        Attribute(name: "stars", type: .double, isOptional: true),
        Attribute(name: "price", type: .decimal, defaultValue: .text("1.5")),
      ]
    )
    #expect(
      steps == [
        "rename Trip.name to title",
        "widen Trip.days from int16 to int64",
        "make Trip.days optional",
        "make Trip.note required, 'none' in rows without a value",
        "widen Trip.stars from float to double",
        "add Trip.price, '1.5' in existing rows",
        "remove Trip.old",
      ]
    )
  }

  @Test("All reasons against a migration are reported together.")
  func refusals() throws {
    let error = try storeError {
      _ = try Self.steps(
        [Attribute(name: "days", type: .int64), Attribute(name: "name", type: .string)],
        [Attribute(name: "days", type: .int32), Attribute(name: "name", type: .uuid)]
      )
    }
    #expect(error.code == .migrationRefused)
    #expect(error.message.contains("Trip.days can't change from int64 to int32"))
    #expect(error.message.contains("Trip.name can't change from string to uuid"))
    #expect(error.differences.count == 2)
  }

  @Test("The error of a store that is newer than the model names both versions.")
  func newer() throws {
    let old = StoreSchema(version: "1.10.0", entities: [])
    let error = try storeError {
      _ = try MigrationPlan(from: old, to: StoreSchema(version: "1.9.0", entities: []))
    }
    #expect(error.code == .newerSchema)
    #expect(error.message.contains("1.10.0"))
    #expect(error.message.contains("1.9.0"))
  }

  @Test("A relationship can't change its destination.")
  func destination() throws {
    func schema(_ destination: String, _ version: String) -> StoreSchema {
      StoreSchema(
        version: version,
        entities: [
          Entity(name: "A"), Entity(name: "B"),
          Entity(
            name: "C",
            relationships: [
              Relationship(
                name: "one",
                destination: destination,
                isToMany: false,
                storage: .column("one")
              )
            ]
          ),
        ]
      )
    }
    let error = try storeError {
      _ = try MigrationPlan(from: schema("A", "1"), to: schema("B", "2"))
    }
    #expect(error.code == .migrationRefused)
    #expect(error.message.contains("C.one can't refer to B instead of A"))
    // It does not matter whether the old destination still exists.
    var without = schema("B", "2")
    without.entities.removeAll { $0.name == "A" }
    let removed = try storeError { _ = try MigrationPlan(from: schema("A", "1"), to: without) }
    #expect(removed.code == .migrationRefused)
    #expect(removed.message.contains("C.one can't refer to B instead of A"))
  }

  @Test("Two entities with their own rows can't become one family.")
  func families() throws {
    let error = try storeError {
      _ = try MigrationPlan(
        from: first(Entity(name: "A"), Entity(name: "B")),
        to: second(
          Entity(name: "A", sharesTable: true),
          Entity(name: "B", parent: "A", table: "A", sharesTable: true)
        )
      )
    }
    #expect(error.code == .migrationRefused)
    #expect(error.message.contains("A, B can't become one family"))
  }

  @Test("An original name that was already applied changes nothing.")
  func originalNames() throws {
    func steps(_ old: [(String, String?)], _ new: [(String, String?)]) throws -> [String] {
      func attributes(_ names: [(String, String?)]) -> [Attribute] {
        names.map { Attribute(name: $0.0, type: .string, isOptional: true, originalName: $0.1) }
      }
      return try Self.steps(attributes(old), attributes(new))
    }
    #expect(try steps([("b", "a")], [("b", "a")]) == [])
    #expect(try steps([("b", nil)], [("b", "a")]) == [])
    #expect(try steps([("a", nil)], [("b", "a")]) == ["rename Trip.a to b"])
    // A new attribute with the old name is the old attribute.
    #expect(try steps([("a", nil)], [("b", "a"), ("a", nil)]) == ["add Trip.b"])
    // Two attributes swap their names, and two move up.
    #expect(
      try steps([("a", nil), ("b", nil)], [("a", "b"), ("b", "a")])
        == ["rename Trip.b to a", "rename Trip.a to b"]
    )
    #expect(
      try steps([("a", nil), ("b", nil)], [("b", "a"), ("c", "b")])
        == ["rename Trip.a to b", "rename Trip.b to c"]
    )
    // The renamed attribute takes the name of another one.
    #expect(
      try steps([("a", nil), ("b", nil)], [("b", "a")])
        == ["rename Trip.a to b", "remove Trip.b"]
    )
  }

  @Test("Entities are added, removed and renamed.")
  func entities() throws {
    let plan = try MigrationPlan(
      from: first(Entity(name: "A"), Entity(name: "B")),
      to: second(Entity(name: "A2", originalName: "A"), Entity(name: "C"))
    )
    #expect(
      plan.steps.map(\.description) == ["rename A to A2", "add C", "remove B with all its rows"]
    )
    #expect(
      plan.description
        == "from version 1.0.0 to version 2.0.0:\n- rename A to A2\n- add C\n"
        + "- remove B with all its rows"
    )
  }

  @Test("The plan for a schema with the same tables has no steps.")
  func trivial() throws {
    let plan = try MigrationPlan(from: first(Entity(name: "A")), to: second(Entity(name: "A")))
    #expect(plan.isTrivial && plan.steps.isEmpty)
    #expect(plan.description == "version 1.0.0 and version 2.0.0 have the same tables")
  }

  /// A family of two entities, in which the child has everything that its parent has.
  private func family(
    _ attributes: [Attribute] = [],
    ofChild: [Attribute] = [],
    sets: [[String]] = [],
    setsOfChild: [[String]] = []
  ) -> [Entity] {
    [
      Entity(
        name: "A",
        sharesTable: true,
        attributes: attributes,
        uniques: sets,
        indexes: sets
      ),
      Entity(
        name: "B",
        parent: "A",
        table: "A",
        sharesTable: true,
        attributes: attributes + ofChild,
        uniques: sets + setsOfChild,
        indexes: sets + setsOfChild
      ),
    ]
  }

  private func steps(_ old: [Entity], _ new: [Entity]) throws -> [String] {
    let plan = try MigrationPlan(
      from: StoreSchema(version: "1.0.0", entities: old),
      to: StoreSchema(version: "2.0.0", entities: new)
    )
    #expect(plan.isTrivial == plan.steps.isEmpty)
    return plan.steps.map(\.description)
  }

  @Test("A change of something that is inherited is one step, in the parent.")
  func inherited() throws {
    func x(_ type: ValueType) -> Attribute { Attribute(name: "x", type: type, isOptional: true) }
    let (y, z) = (
      Attribute(name: "y", type: .string, isOptional: true),
      Attribute(name: "z", type: .string, isOptional: true)
    )
    let plain = family([x(.int16)], ofChild: [y])
    #expect(try steps(plain, plain) == [])
    let rich = family([x(.int16), z], ofChild: [y], sets: [["x"]])
    #expect(try steps(plain, rich) == ["add A.z", "make x of A unique", "index x of A"])
    #expect(
      try steps(rich, plain) == [
        "remove A.z", "let x of A be anything, no longer unique", "drop the index on x of A",
      ]
    )
    let wide = family([x(.int32)], ofChild: [y])
    #expect(
      try steps(plain, wide) == [
        "widen A.x from \(ValueType.int16.rawValue) to \(ValueType.int32.rawValue)"
      ]
    )
    let child = family([x(.int16)], ofChild: [y], setsOfChild: [["y"]])
    #expect(try steps(plain, child) == ["make y of B unique", "index y of B"])
    #expect(
      try steps(child, plain) == [
        "let y of B be anything, no longer unique", "drop the index on y of B",
      ]
    )
  }
}
