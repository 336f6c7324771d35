import Changes
import Foundation
import Testing

@Suite("Schemas as JSON")
struct SchemaCodingTests {
  private func schema(defaultValue: Value?) -> StoreSchema {
    StoreSchema(
      version: "2.0.0",
      entities: [
        Entity(
          name: "Trip",
          attributes: [
            Attribute(name: "note", type: .string, isOptional: true, defaultValue: defaultValue)
          ],
          relationships: [
            Relationship(
              name: "plan",
              destination: "Trip",
              isToMany: false,
              inverse: "parts",
              storage: .column("plan")
            ),
            Relationship(
              name: "parts",
              destination: "Trip",
              isToMany: true,
              inverse: "plan",
              storage: .inverseColumn("plan")
            ),
            Relationship(
              name: "friends",
              destination: "Trip",
              isToMany: true,
              storage: .joinTable("Trip_friends", source: "Trip", target: "friend")
            ),
          ]
        )
      ]
    )
  }

  @Test(
    "A schema that is written as JSON and read again has every value and relationship.",
    arguments: [
      nil, .null, .integer(.min), .real(-0.0), .real(.infinity), .real(0.1), .text("a \"b\"\u{0}"),
      .blob(Data([0, 255])),
    ] as [Value?]
  )
  func roundTrip(value: Value?) throws {
    let written = schema(defaultValue: value)
    let read = try StoreSchema(json: Data(try written.json().utf8))
    #expect(read == written)
    let found = read.entities.first?.attributes.first?.defaultValue
    guard case .real(let number)? = value else { return #expect(found == value) }
    guard case .real(let other)? = found else {
      return #expect(Bool(false), "\(String(describing: found))")
    }
    #expect(other.bitPattern == number.bitPattern)
  }

  @Test("A schema with a default that is not a number, or without storage, is refused.")
  func refusals() throws {
    let text = try schema(defaultValue: .real(0.5)).json()
    for (old, new) in [(#""real":"0.5""#, #""real":"half""#), (#""joinTable":"#, #""table":"#)] {
      #expect(text.contains(old))
      let altered = text.replacingOccurrences(of: old, with: new)
      #expect(throws: DecodingError.self) { try StoreSchema(json: Data(altered.utf8)) }
    }
  }

  @Test("Attributes are equal unless they are stored differently or kept differently.")
  func attributes() {
    let attribute = Attribute(name: "a", type: .string)
    #expect(attribute == Attribute(name: "a", column: "a", type: .string, isOptional: false))
    let changes: [(inout Attribute) -> Void] = [
      { $0.name = "b" }, { $0.column = "b" }, { $0.type = .url }, { $0.isOptional = true },
      { $0.originalName = "b" }, { $0.preservesValueOnDeletion = true }, { $0.isExternal = true },
    ]
    for (place, change) in changes.enumerated() {
      var other = attribute
      change(&other)
      #expect(other != attribute && other == other, "\(place)")
    }
    var other = attribute
    other.defaultValue = .text("x")
    #expect(other == attribute && other.hashValue == attribute.hashValue)
  }

  @Test("The default arguments of entities, attributes and relationships are those of the model.")
  func defaults() {
    let entity = Entity(name: "E")
    #expect(entity.table == "E" && !entity.sharesTable && entity.parent == nil)
    let attribute = Attribute(name: "a", type: .string)
    #expect(attribute.column == "a" && !attribute.isOptional && !attribute.isExternal)
    #expect(!attribute.preservesValueOnDeletion && attribute.isGenerated == nil)
    let relationship = Relationship(
      name: "r",
      destination: "E",
      isToMany: true,
      storage: .column("r")
    )
    #expect(relationship.isOptional && relationship.deleteRule == .nullify)
    #expect(relationship.minimumCount == 0 && relationship.maximumCount == 0)
    #expect(!relationship.isHidden && relationship.inverse == nil)
  }

  @Test("A default value and the storage of a relationship have one exact text each.")
  func texts() throws {
    func json(_ value: some Encodable) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    let values: [(Value, String)] = [
      (.null, #"{"null":true}"#), (.integer(-7), #"{"integer":-7}"#),
      (.real(0.5), #"{"real":"0.5"}"#), (.real(-.infinity), #"{"real":"-inf"}"#),
      (.text("a"), #"{"text":"a"}"#), (.blob(Data([0, 1])), #"{"blob":"AAE="}"#),
    ]
    for (value, text) in values {
      #expect(try json(value) == text)
      #expect(try JSONDecoder().decode(Value.self, from: Data(text.utf8)) == value)
    }
    let storages: [(Relationship.Storage, String)] = [
      (.column("c"), #"{"column":"c"}"#), (.inverseColumn("c"), #"{"inverseColumn":"c"}"#),
      (
        .joinTable("t", source: "a", target: "b"),
        #"{"joinTable":"t","source":"a","target":"b"}"#
      ),
    ]
    for (storage, text) in storages {
      #expect(try json(storage) == text)
      let read = try JSONDecoder().decode(Relationship.Storage.self, from: Data(text.utf8))
      #expect(read == storage)
    }
  }
}
