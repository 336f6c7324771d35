import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

@Suite("Migration of relationships")
struct RelationshipMigrationTests {
  static func person(_ relationships: Relationship...) -> Entity {
    Entity(
      name: "Person",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: relationships
    )
  }

  static func trip(_ relationships: Relationship...) -> Entity {
    Entity(
      name: "Trip",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: relationships
    )
  }

  static func leader(isOptional: Bool = true, inverse: String? = nil) -> Relationship {
    Relationship(
      name: "leader",
      destination: "Person",
      isToMany: false,
      isOptional: isOptional,
      inverse: inverse,
      storage: .column("leader")
    )
  }

  /// A schema of trips with leaders, and people who lead trips.
  static func leaders(
    original: String? = nil,
    inverse: String? = nil
  ) -> (Relationship, Relationship) {
    (
      Relationship(
        name: "leaders",
        destination: "Person",
        isToMany: true,
        inverse: "led",
        storage: .joinTable("Person_led", source: "Trip", target: "Person"),
        originalName: original
      ),
      Relationship(
        name: "led",
        destination: "Trip",
        isToMany: true,
        inverse: "leaders",
        storage: .joinTable("Person_led", source: "Person", target: "Trip"),
        originalName: inverse
      )
    )
  }

  /// Three people, and four trips: two led by the first person, one by the second, one by nobody.
  static func fill(_ writer: Writer) throws {
    for id in Int64(1)...3 { try writer.insert(0, id: id, values: [.text("p\(id)")]) }
    for (index, leader) in [Int64(1), 1, 2, nil].enumerated() {
      let value = leader.map { Value.integer($0) } ?? .null
      try writer.insert(1, id: Int64(index) + 1, values: [.text("t\(index + 1)"), value])
    }
  }

  @Test("A to-one relationship is added and removed.")
  func addAndRemove() throws {
    let with = second(Self.person(), Self.trip(Self.leader()))
    try withStoreFile(
      first(Self.person(), Self.trip()),
      fill: { writer in
        try writer.insert(0, id: 1, values: [.text("p")])
        try writer.insert(1, id: 1, values: [.text("t")])
      }
    ) { url in
      let store = try migrate(url, to: with)
      try store.write(Author()) { try $0.update(1, id: 1, columns: [1], values: [.integer(1)]) }
      #expect(try rows("SELECT name, leader FROM Trip", in: store) == ["t|1"])
      var without = first(Self.person(), Self.trip())
      without.version = "3.0.0"
      #expect(try rows("SELECT name FROM Trip", in: try migrate(url, to: without)) == ["t"])
    }
  }

  @Test("A required relationship can't be added to a table with rows.")
  func addRequired() throws {
    try withStoreFile(
      first(Self.person(), Self.trip()),
      fill: { try $0.insert(1, id: 7, values: [.text("t")]) }
    ) { url in
      let error = try storeError {
        _ = try migrate(url, to: second(Self.person(), Self.trip(Self.leader(isOptional: false))))
      }
      #expect(error.code == .missingValue)
      #expect(error.objects == [ObjectName("Trip", id: 7)])
      #expect(error.hint.contains("Make the relationship optional"))
    }
  }

  @Test("A relationship becomes required if all rows have it.")
  func require() throws {
    let required = second(Self.person(), Self.trip(Self.leader(isOptional: false)))
    try withStoreFile(first(Self.person(), Self.trip(Self.leader())), fill: Self.fill) { url in
      let error = try storeError { _ = try migrate(url, to: required) }
      #expect(error.code == .missingValue)
      #expect(error.objects == [ObjectName("Trip", id: 4)])
      try Store.open(.file(url)).write(Author()) {
        try $0.update(1, id: 4, columns: [1], values: [.integer(3)])
      }
      let store = try migrate(url, to: required)
      #expect(try rows("SELECT leader FROM Trip ORDER BY id", in: store) == ["1", "1", "2", "3"])
    }
  }

  @Test("A relationship is renamed, and its links stay.")
  func rename() throws {
    let guide = Relationship(
      name: "guide",
      destination: "Person",
      isToMany: false,
      storage: .column("guide"),
      originalName: "leader"
    )
    let old = first(Self.person(), Self.trip(Self.leader()))
    let new = second(Self.person(), Self.trip(guide))
    #expect(try MigrationPlan(from: old, to: new).tables.allSatisfy { $0.way != .rebuilt })
    try withStoreFile(old, fill: Self.fill) { url in
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT guide FROM Trip ORDER BY id", in: store) == ["1", "1", "2", "null"])
    }
  }

  @Test(
    "A to-one relationship becomes to-many, and to-one again if each object has at most one link."
  )
  func toManyAndBack() throws {
    let old = first(Self.person(), Self.trip(Self.leader()))
    try withStoreFile(old, fill: Self.fill) { url in
      let (leaders, led) = Self.leaders(original: "leader")
      let many = try migrate(url, to: second(Self.person(led), Self.trip(leaders)))
      #expect(
        try rows("SELECT Trip, Person FROM Person_led ORDER BY 1", in: many)
          == ["1|1", "2|1", "3|2"]
      )
      var back = Self.leader()
      back.originalName = "leaders"
      let one = StoreSchema(version: "3", entities: [Self.person(), Self.trip(back)])
      try many.write(Author()) {
        try $0.link(1, relationship: "leaders", source: 2, target: 3)
      }
      let error = try storeError { _ = try migrate(url, to: one) }
      #expect(error.code == .duplicate)
      #expect(error.objects == [ObjectName("Trip", id: 2)])
      #expect(error.message.contains("Trip.leader becomes a relationship to one object"))
      try many.write(Author()) {
        try $0.unlink(1, relationship: "leaders", source: 2, target: 3)
      }
      let store = try migrate(url, to: one)
      #expect(
        try rows("SELECT leader FROM Trip ORDER BY id", in: store) == ["1", "1", "2", "null"]
      )
    }
  }

  @Test("Objects with several links are named with their own entity if a family shares a table.")
  func severalLinksInFamily() throws {
    func schema(_ version: String, isToMany: Bool) -> StoreSchema {
      let friends = Relationship(
        name: "friends",
        destination: "Person",
        isToMany: isToMany,
        storage: isToMany
          ? .joinTable("Meeting_friends", source: "Meeting", target: "Person") : .column("friends")
      )
      let family = [nil, "Meeting"].map { parent in
        Entity(
          name: parent == nil ? "Meeting" : "Plan",
          parent: parent,
          table: "Meeting",
          sharesTable: true,
          relationships: [friends]
        )
      }
      return StoreSchema(version: version, entities: family + [Self.person()])
    }
    let old = schema("1", isToMany: true)
    let new = schema("2", isToMany: false)
    let (meeting, plan) = try (
      #require(old.index(of: "Meeting")), #require(old.index(of: "Plan"))
    )
    let person = try #require(old.index(of: "Person"))
    try withStoreFile(
      old,
      fill: { writer in
        for id in Int64(1)...2 { try writer.insert(person, id: id, values: [.text("p\(id)")]) }
        try writer.insert(meeting, id: 4, values: [])
        try writer.insert(plan, id: 5, values: [])
        try writer.link(meeting, relationship: "friends", source: 4, target: 1)
        for id in Int64(1)...2 {
          try writer.link(plan, relationship: "friends", source: 5, target: id)
        }
      }
    ) { url in
      let error = try storeError { _ = try migrate(url, to: new) }
      #expect(error.code == .duplicate && error.objects == [ObjectName("Plan", id: 5)])
      #expect(error.message.contains("Plan.friends becomes a relationship to one object"))
      try Store.open(.file(url)).write(Author()) {
        try $0.unlink(plan, relationship: "friends", source: 5, target: 1)
      }
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT id, friends FROM Meeting ORDER BY id", in: store) == ["4|1", "5|2"])
    }
  }

  @Test("Links are moved to the other side if only that side keeps its name.")
  func inverseSide() throws {
    // The column of the trip gives the trips of a person.
    let old = first(Self.person(), Self.trip(Self.leader()))
    try withStoreFile(old, fill: Self.fill) { url in
      let trips = Relationship(
        name: "trips",
        destination: "Trip",
        isToMany: true,
        inverse: "leader",
        storage: .inverseColumn("leader")
      )
      let store = try migrate(
        url,
        to: second(Self.person(trips), Self.trip(Self.leader(inverse: "trips")))
      )
      #expect(
        try rows("SELECT leader FROM Trip ORDER BY id", in: store) == ["1", "1", "2", "null"]
      )
      // The person's side becomes many-to-many; the trip's side has a new name.
      let (leaders, led) = Self.leaders(inverse: "trips")
      let many = StoreSchema(version: "3", entities: [Self.person(led), Self.trip(leaders)])
      let third = try migrate(url, to: many)
      #expect(
        try rows("SELECT Trip, Person FROM Person_led ORDER BY 1", in: third)
          == ["1|1", "2|1", "3|2"]
      )
    }
  }

  @Test("A hidden owning side becomes a relationship that the model declares.")
  func hidden() throws {
    let members = Relationship(
      name: "members",
      destination: "Person",
      isToMany: true,
      inverse: "_Trip_members",
      storage: .inverseColumn("_Trip_members")
    )
    let owner = Relationship(
      name: "_Trip_members",
      destination: "Trip",
      isToMany: false,
      inverse: "members",
      storage: .column("_Trip_members"),
      isHidden: true
    )
    try withStoreFile(
      first(Self.person(owner), Self.trip(members)),
      fill: { writer in
        try writer.insert(1, id: 4, values: [.text("t")])
        try writer.insert(0, id: 1, values: [.text("p"), .integer(4)])
        try writer.insert(0, id: 2, values: [.text("q"), .null])
      }
    ) { url in
      var declared = members
      declared.inverse = "trip"
      declared.storage = .inverseColumn("trip")
      let trip = Relationship(
        name: "trip",
        destination: "Trip",
        isToMany: false,
        inverse: "members",
        storage: .column("trip")
      )
      let store = try migrate(url, to: second(Self.person(trip), Self.trip(declared)))
      #expect(try rows("SELECT name, trip FROM Person", in: store) == ["p|4", "q|null"])
    }
  }

  @Test("A many-to-many relationship that is not changed keeps its table and its links.")
  func joinTableStays() throws {
    let (leaders, led) = Self.leaders()
    let old = first(Self.person(led), Self.trip(leaders))
    var trip = Self.trip(leaders)
    trip.attributes.append(Attribute(name: "days", type: .int64, defaultValue: .integer(1)))
    let new = second(Self.person(led), trip)
    #expect(try MigrationPlan(from: old, to: new).tables.count { $0.way == .rebuilt } == 1)
    try withStoreFile(
      old,
      fill: { writer in
        try writer.insert(0, id: 1, values: [.text("p")])
        try writer.insert(1, id: 2, values: [.text("t")])
        try writer.link(1, relationship: "leaders", source: 2, target: 1)
      }
    ) { url in
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT Trip, Person FROM Person_led", in: store) == ["2|1"])
      #expect(try rows("SELECT * FROM Trip", in: store) == ["2|t|1"])
    }
  }

  @Test("A one-to-one relationship of an entity to itself keeps its links when its column moves.")
  func selfReference() throws {
    func schema(_ version: String, isKeptAsNext: Bool) -> StoreSchema {
      let storage = isKeptAsNext ? "next" : "previous"
      func relationship(_ name: String, _ inverse: String) -> Relationship {
        Relationship(
          name: name,
          destination: "Stop",
          isToMany: false,
          inverse: inverse,
          storage: name == storage ? .column(storage) : .inverseColumn(storage)
        )
      }
      return StoreSchema(
        version: version,
        entities: [
          Entity(
            name: "Stop",
            relationships: [relationship("next", "previous"), relationship("previous", "next")]
          )
        ]
      )
    }
    try withStoreFile(
      schema("1", isKeptAsNext: true),
      fill: { writer in
        for id in Int64(1)...3 { try writer.insert(0, id: id, values: [.null]) }
        try writer.update(0, id: 1, columns: [0], values: [.integer(2)])
        try writer.update(0, id: 2, columns: [0], values: [.integer(3)])
      },
      { url in
        let store = try migrate(url, to: schema("2", isKeptAsNext: false))
        let links = "SELECT id, previous FROM Stop WHERE previous IS NOT NULL ORDER BY id"
        #expect(try rows(links, in: store) == ["2|1", "3|2"])
      }
    )
  }
}
