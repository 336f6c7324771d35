import Format
import Foundation
import SQLite
import Store
import TestSupport

/// Guests, and the places where they stay and that they have seen: inheritance, every attribute
/// type, unique values, large values, and links of both kinds.
package let worldSchema: StoreSchema = {
  let shared = [
    Attribute(name: "name", type: .string),
    Attribute(name: "rating", type: .double, isOptional: true, preservesValueOnDeletion: true),
    Attribute(name: "opened", type: .date, isOptional: true),
    Attribute(name: "picture", type: .data, isOptional: true, isExternal: true),
  ]
  let placeRelationships = [
    Relationship(
      name: "guests",
      destination: "Guest",
      isToMany: true,
      inverse: "place",
      storage: .inverseColumn("place")
    ),
    Relationship(
      name: "seenBy",
      destination: "Guest",
      isToMany: true,
      inverse: "seen",
      storage: .joinTable("Guest_seen", source: "Place", target: "Guest")
    ),
  ]
  func place(_ name: String, parent: String?, _ own: [Attribute]) -> Entity {
    Entity(
      name: name,
      parent: parent,
      table: "Place",
      sharesTable: true,
      attributes: shared + own,
      relationships: placeRelationships,
      uniques: [["name"]]
    )
  }
  return StoreSchema(
    version: "1.0.0",
    entities: [
      place("Place", parent: nil, []),
      place("Hotel", parent: "Place", [Attribute(name: "stars", type: .int64)]),
      place("Camp", parent: "Place", [Attribute(name: "isFree", type: .bool, isOptional: true)]),
      Entity(
        name: "Guest",
        attributes: [
          Attribute(name: "badge", type: .uint64, isOptional: true),
          Attribute(name: "score", type: .decimal, isOptional: true),
          Attribute(name: "key", type: .uuid, isOptional: true, preservesValueOnDeletion: true),
          Attribute(name: "page", type: .url, isOptional: true),
          Attribute(name: "words", type: .json, isOptional: true),
          Attribute(name: "note", type: .string, isOptional: true),
          Attribute(name: "weight", type: .float, isOptional: true),
          Attribute(name: "bytes", type: .transformed, isOptional: true),
        ],
        relationships: [
          Relationship(
            name: "place",
            destination: "Place",
            isToMany: false,
            inverse: "guests",
            storage: .column("place")
          ),
          Relationship(
            name: "seen",
            destination: "Place",
            isToMany: true,
            inverse: "seenBy",
            storage: .joinTable("Guest_seen", source: "Guest", target: "Place")
          ),
        ]
      ),
    ]
  )
}()

/// Writes at random into a store of ``worldSchema``.
package struct HistoryWorld {
  package var random: SeededGenerator
  /// Whether some values have more than a megabyte.
  package var hasLargeValues = true
  /// The next ids of a guest and of a place; most ids are those of both.
  private var nextIDs: (guest: Int64, place: Int64) = (1, 1)
  private var nextName = 0
  private var objects: [RowKey] = []

  package init(_ random: SeededGenerator) { self.random = random }

  private var guests: [Int64] { objects.filter { $0.entity == guest }.map(\.id.integer) }
  private var places: [RowKey] { objects.filter { $0.entity != guest } }
  private let guest = worldSchema.index(of: "Guest") ?? 0

  /// Writes a few steps in one transaction; one of ten is rolled back.
  package mutating func write(to store: Store) throws {
    struct TakenBack: Error {}
    let saved = self
    let author = ["app", "widget", "sync \"2\"", nil].randomElement(using: &random) ?? nil
    // A copy of the generator, so that the reasons do not change the other choices.
    var other = random
    let reason = [nil, "ticket 7", "two\n\"lines\"\u{1}"].randomElement(using: &other) ?? nil
    let request = [nil, "POST /pay", "é"].randomElement(using: &other) ?? nil
    do {
      try store.write(Author(name: author, reason: reason, request: request)) { writer in
        for _ in 0..<Int.random(in: 1...6, using: &random) { try step(writer) }
        if Int.random(in: 0..<10, using: &random) == 0 { throw TakenBack() }
      }
    } catch is TakenBack {
      let random = random
      self = saved
      self.random = random
    }
  }

  private mutating func step(_ writer: Writer) throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0...3: try insert(writer)
    case 4...6: try update(writer)
    case 7: try swapNames(writer)
    case 8...9: try link(writer)
    default: try delete(writer)
    }
  }

  private mutating func insert(_ writer: Writer) throws {
    let entity = EntityIndex(Int.random(in: 0..<writer.layouts.count, using: &random))
    let key = RowKey(entity: entity, id: ObjectID(nextID(of: entity)))
    var values: [Value] = []
    for index in writer.layouts[entity].columns.indices {
      values.append(value(writer.layouts[entity].columns[index], of: key))
    }
    try writer.insert(entity, id: key.id.integer, values: values)
    objects.append(key)
  }

  private mutating func nextID(of entity: EntityIndex) -> Int64 {
    defer {
      if entity == guest { nextIDs.guest += 1 } else { nextIDs.place += 1 }
    }
    return entity == guest ? nextIDs.guest : nextIDs.place
  }

  private mutating func update(_ writer: Writer) throws {
    guard let key = objects.randomElement(using: &random) else { return }
    let layout = writer.layouts[key.entity]
    let columns = layout.columns.indices.filter { _ in Bool.random(using: &random) }
    var values: [Value] = []
    for column in columns { values.append(value(layout.columns[column], of: key)) }
    try writer.update(
      key.entity,
      id: key.id.integer,
      columns: columns.reversed().map { ColumnIndex($0) },
      values: values.reversed()
    )
  }

  private mutating func swapNames(_ writer: Writer) throws {
    guard let one = places.randomElement(using: &random),
      let two = places.randomElement(using: &random), one != two,
      let first = try writer.row(one.entity, id: one.id.integer)?[0],
      let second = try writer.row(two.entity, id: two.id.integer)?[0]
    else { return }
    try writer.update(one.entity, id: one.id.integer, columns: [0], values: [second])
    try writer.update(two.entity, id: two.id.integer, columns: [0], values: [first])
  }

  private mutating func link(_ writer: Writer) throws {
    guard let one = guests.randomElement(using: &random),
      let place = places.randomElement(using: &random)
    else { return }
    if Int.random(in: 0..<3, using: &random) == 0 {
      try writer.unlink(guest, relationship: "seen", source: one, target: place.id.integer)
    } else {
      try writer.link(place.entity, relationship: "seenBy", source: place.id.integer, target: one)
    }
  }

  private mutating func delete(_ writer: Writer) throws {
    guard let index = objects.indices.randomElement(using: &random) else { return }
    let key = objects.remove(at: index)
    try writer.delete(key.entity, id: key.id.integer)
  }

  private mutating func value(_ column: EntityLayout.Column, of key: RowKey) -> Value {
    if column.name == "name" {
      nextName += 1
      return .text("place \(nextName) \(text())")
    }
    if column.name == "stars" {
      return .integer([0, 5, .max, .min].randomElement(using: &random) ?? 0)
    }
    if Int.random(in: 0..<5, using: &random) == 0 { return .null }
    guard let type = column.type else {
      return places.randomElement(using: &random).map { .integer($0.id.integer) } ?? .null
    }
    let odd: [Value]
    switch type {
    case .bool: odd = [.integer(0), .integer(1)]
    case .double, .float:
      odd = [.text("NaN"), .real(.infinity), .real(-.infinity), .real(-0.0), .real(0.1), .real(4)]
    case .date:
      odd = [.real(0), .real(-1e12), .real(1e13), .text("NaN"), .real(780_000_000.123_456_7)]
    case .data, .transformed: odd = [.blob(bytes(0)), .blob(bytes(9)), .blob(bytes(large()))]
    case .uint64: odd = [.integer(0), .integer(.max), .text("18446744073709551615")]
    case .decimal: odd = [.text("0"), .text("-12.5"), .text("NaN"), .text("340000000000000000000")]
    case .uuid: odd = [.text("6F1C0C52-7D0B-4E9B-8F0C-\(String(format: "%012X", key.id.integer))")]
    case .url: odd = [.text("https://example.org/\(key.id)"), .text("../x https://example.org/")]
    case .json: odd = [.text("[1,\"a\"]"), .text("{\"a\":{\"b\":null}}")]
    default: odd = [.text(text()), .text(String(repeating: "long ", count: large() / 5))]
    }
    return odd.randomElement(using: &random) ?? .null
  }

  private mutating func text() -> String {
    ["", "Oslo", "a \"b\" \\ \u{0} \n", "Ünïcode 🏔", "e\u{301}", "<script>"]
      .randomElement(using: &random) ?? ""
  }

  private mutating func large() -> Int {
    guard hasLargeValues, Int.random(in: 0..<12, using: &random) == 0 else { return 100 }
    return [200_000, 1_100_000].randomElement(using: &random) ?? 0
  }

  private mutating func bytes(_ count: Int) -> Data {
    let byte = UInt8.random(in: 0...255, using: &random)
    return Data(repeating: byte, count: count)
  }
}
