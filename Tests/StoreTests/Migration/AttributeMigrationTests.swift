import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

@Suite("Migration of attributes")
struct AttributeMigrationTests {
  static func trip(_ attributes: Attribute...) -> Entity {
    Entity(name: "Trip", attributes: attributes)
  }

  static let name = Attribute(name: "name", type: .string)

  static func fill(_ writer: Writer) throws {
    for id in try writer.reserveIDs("Trip", count: 3)...3 {
      try writer.insert(0, id: id, values: [.text("trip \(id)")])
    }
    // Deletes the highest id, which must not be used again.
    try writer.delete(0, id: 3)
  }

  /// The id that the next row gets.
  static func nextID(_ store: Store) throws -> Int64 {
    try store.write(Author()) { try $0.reserveIDs("Trip", count: 1) }
  }

  @Test("An optional attribute is added without changing rows.")
  func addOptional() throws {
    try withStoreFile(first(Self.trip(Self.name)), fill: Self.fill) { url in
      let new = second(
        Self.trip(Self.name, Attribute(name: "rating", type: .double, isOptional: true))
      )
      let plan = try MigrationPlan(from: first(Self.trip(Self.name)), to: new)
      #expect(plan.tables[0].way != .rebuilt)
      let store = try migrate(url, to: new)
      #expect(
        try rows("SELECT id, name, rating FROM Trip", in: store) == [
          "1|trip 1|null", "2|trip 2|null",
        ]
      )
      #expect(
        try transactions(of: store) == ["recorded|1.0.0|app|2", "migration|2.0.0|migrator|0"]
      )
      #expect(try Self.nextID(store) == 4)
    }
  }

  @Test("A required attribute is added with its default, and history records it.")
  func addRequired() throws {
    try withStoreFile(first(Self.trip(Self.name)), fill: Self.fill) { url in
      let stars = Attribute(name: "stars", type: .int8, defaultValue: .integer(3))
      let store = try migrate(url, to: second(Self.trip(Self.name, stars)))
      #expect(
        try rows("SELECT id, name, stars FROM Trip", in: store) == ["1|trip 1|3", "2|trip 2|3"]
      )
      #expect(try transactions(of: store).last == "migration|2.0.0|migrator|2")
      #expect(
        try lastChanges(of: store) == [
          "update Trip 1 [\"stars\"] {\"stars\":null} {\"stars\":3}",
          "update Trip 2 [\"stars\"] {\"stars\":null} {\"stars\":3}",
        ]
      )
      #expect(try Self.nextID(store) == 4)
    }
  }

  @Test("A required attribute without a default is refused exactly if there are rows.")
  func addRequiredWithoutDefault() throws {
    let new = second(Self.trip(Self.name, Attribute(name: "stars", type: .int8)))
    try withStoreFile(first(Self.trip(Self.name)), fill: Self.fill) { url in
      let error = try storeError { _ = try migrate(url, to: new) }
      #expect(error.code == .missingValue)
      #expect(error.objects == [ObjectName("Trip", id: 1), ObjectName("Trip", id: 2)])
      let store = try Store.open(.file(url), schema: first(Self.trip(Self.name)))
      #expect(try transactions(of: store) == ["recorded|1.0.0|app|2"])
    }
    try withStoreFile(first(Self.trip(Self.name))) { url in
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT count(*) FROM Trip", in: store) == ["0"])
    }
  }

  @Test("An attribute is removed, and the others stay.")
  func remove() throws {
    let note = Attribute(name: "note", type: .data, isOptional: true)
    try withStoreFile(
      first(Self.trip(Self.name, note)),
      fill: { try $0.insert(0, id: 5, values: [.text("Oslo"), .blob(Data([1]))]) }
    ) { url in
      let store = try migrate(url, to: second(Self.trip(Self.name)))
      #expect(try rows("SELECT * FROM Trip", in: store) == ["5|Oslo"])
      #expect(try Self.nextID(store) == 6)
    }
  }

  @Test("Attributes are renamed in place, and swap their names.")
  func rename() throws {
    let old = first(
      Entity(
        name: "Trip",
        attributes: [Self.name, Attribute(name: "place", type: .string)],
        uniques: [["name"]],
        indexes: [["place"]]
      )
    )
    func fill(_ writer: Writer) throws {
      try writer.insert(0, id: 1, values: [.text("n"), .text("p")])
    }
    try withStoreFile(old, fill: fill) { url in
      let title = Attribute(name: "title", type: .string, originalName: "name")
      let new = second(
        Entity(
          name: "Trip",
          attributes: [title, Attribute(name: "place", type: .string)],
          uniques: [["title"]],
          indexes: [["place"]]
        )
      )
      #expect(try MigrationPlan(from: old, to: new).tables[0].way != .rebuilt)
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT title, place FROM Trip", in: store) == ["n|p"])
    }
    try withStoreFile(old, fill: fill) { url in
      let new = second(
        Entity(
          name: "Trip",
          attributes: [
            Attribute(name: "place", type: .string, originalName: "name"),
            Attribute(name: "name", type: .string, originalName: "place"),
          ],
          uniques: [["name"]],
          indexes: [["place"]]
        )
      )
      let store = try migrate(url, to: new)
      #expect(try rows("SELECT name, place FROM Trip", in: store) == ["p|n"])
    }
    // One attribute gets the name that another one had.
    for isOptional in [false, true] {
      func attribute(_ name: String, _ original: String? = nil) -> Attribute {
        Attribute(name: name, type: .string, isOptional: isOptional, originalName: original)
      }
      let old = first(Entity(name: "Trip", attributes: [attribute("name"), attribute("place")]))
      try withStoreFile(old, fill: fill) { url in
        let attributes = [attribute("place", "name"), attribute("title", "place")]
        let store = try migrate(url, to: second(Entity(name: "Trip", attributes: attributes)))
        #expect(try rows("SELECT place, title FROM Trip", in: store) == ["n|p"])
      }
    }
  }

  @Test("An optional attribute becomes required if all rows have a value or it has a default.")
  func require() throws {
    let optional = Attribute(name: "rating", type: .double, isOptional: true)
    func fill(_ writer: Writer) throws {
      try writer.insert(0, id: 1, values: [.text("a"), .real(2.5)])
      try writer.insert(0, id: 2, values: [.text("b"), .null])
    }
    try withStoreFile(first(Self.trip(Self.name, optional)), fill: fill) { url in
      let required = Attribute(name: "rating", type: .double)
      let error = try storeError {
        _ = try migrate(url, to: second(Self.trip(Self.name, required)))
      }
      #expect(error.code == .missingValue)
      #expect(error.objects == [ObjectName("Trip", id: 2)])
      let filled = Attribute(name: "rating", type: .double, defaultValue: .real(1))
      let store = try migrate(url, to: second(Self.trip(Self.name, filled)))
      #expect(try rows("SELECT id, rating FROM Trip", in: store) == ["1|2.5", "2|1.0"])
      #expect(
        try lastChanges(of: store) == [
          "update Trip 2 [\"rating\"] {\"rating\":null} {\"rating\":1.0}"
        ]
      )
    }
  }

  @Test("A required attribute becomes optional.")
  func relax() throws {
    try withStoreFile(first(Self.trip(Self.name)), fill: Self.fill) { url in
      let store = try migrate(
        url,
        to: second(Self.trip(Attribute(name: "name", type: .string, isOptional: true)))
      )
      try store.write(Author()) { try $0.update(0, id: 1, columns: [0], values: [.null]) }
      #expect(try rows("SELECT name FROM Trip", in: store) == ["null", "trip 2"])
    }
  }

  /// Values of a type, unusual ones included.
  static func values(_ type: ValueType) -> [Value] {
    if let integers = type.form.integers {
      let large: [Value] =
        type == .uint64 ? [.text("09223372036854775808"), storedUnsigned(.max)] : []
      return [.integer(integers.lowerBound), .integer(1), .integer(integers.upperBound)] + large
    }
    switch type {
    case .float16, .float, .double:
      return [.real(-0.0), .real(0.5), .real(.infinity), .text("NaN")]
    case .date: return [.real(0), .real(1e300)]
    case .decimal: return [.text("0"), .text("-12.5"), .text("NaN")]
    case .uuid: return [.text("0E984725-C51C-4BF4-9960-E1C80E27ABA0")]
    case .string, .url, .json: return [.text("a"), .text("")]
    default: return [.blob(Data()), .blob(Data([0, 255]))]
    }
  }

  @Test(
    "Each change of type converts without loss, or is refused.",
    arguments: ValueType.declared
  )
  func types(_ old: ValueType) throws {
    let values = Self.values(old)
    for new in ValueType.declared {
      let schema = second(Self.trip(Attribute(name: "v", type: new)))
      let conversion = TypeConversion(from: old, to: new)
      try withStoreFile(
        first(Self.trip(Attribute(name: "v", type: old))),
        fill: { writer in
          for (index, value) in values.enumerated() {
            try writer.insert(0, id: Int64(index) + 1, values: [value])
          }
        }
      ) { url in
        guard conversion != nil else {
          #expect(try storeError { _ = try migrate(url, to: schema) }.code == .migrationRefused)
          return
        }
        let store = try migrate(url, to: schema)
        let found = try store.read { reader in
          let statement = try reader.connection.prepare("SELECT v FROM Trip ORDER BY id")
          var found: [Value] = []
          while try statement.step() { found.append(statement.value(at: 0)) }
          return found
        }
        #expect(found.count == values.count)
        for (before, after) in zip(values, found) {
          #expect(Self.meansTheSame(before, old, after, new), "\(before) \(old) \(after) \(new)")
          var encoded: [UInt8] = []
          let special = appendCanonical(after, as: new, to: &encoded)
          let wasSpecial = appendCanonical(before, as: old, to: &encoded) != nil
          #expect((special != nil) == wasSpecial || new == .string)
        }
      }
    }
  }

  static func meansTheSame(
    _ before: Value,
    _ old: ValueType,
    _ after: Value,
    _ new: ValueType
  ) -> Bool {
    switch (before, after) {
    case (.integer(let integer), .real(let real)): return Int64(exactly: real) == integer
    case (.integer(let integer), .text(let text)): return String(integer) == text
    case (.text(let digits), .text(let text)) where old == .uint64 && new == .decimal:
      return UInt64(digits) == UInt64(text)
    default: return before.isSame(as: after)
    }
  }

  @Test("The type conversions without migration code are exactly the listed ones.")
  func widening() {
    var found: [String] = []
    for old in ValueType.declared {
      for new in ValueType.declared where old != new && TypeConversion(from: old, to: new) != nil {
        found.append("\(old.rawValue) \(new.rawValue)")
      }
    }
    let expected = [
      "int8 int16", "int8 int32", "int8 int64", "int8 float16", "int8 float", "int8 double",
      "int8 decimal", "int16 int32", "int16 int64", "int16 float", "int16 double",
      "int16 decimal", "int32 int64", "int32 double", "int32 decimal", "int64 decimal",
      "uint8 int16", "uint8 int32", "uint8 int64", "uint8 uint16", "uint8 uint32",
      "uint8 uint64", "uint8 float16", "uint8 float", "uint8 double", "uint8 decimal",
      "uint16 int32", "uint16 int64", "uint16 uint32", "uint16 uint64", "uint16 float",
      "uint16 double", "uint16 decimal", "uint32 int64", "uint32 uint64", "uint32 double",
      "uint32 decimal", "uint64 decimal", "float16 float", "float16 double", "float double",
      "decimal string", "uuid string", "url string",
    ]
    #expect(found == expected)
  }
}
