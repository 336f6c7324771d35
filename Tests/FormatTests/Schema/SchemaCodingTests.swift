import Format
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
}
