import Testing

@testable import Changes
@testable import Store

@Suite("Values of earlier schemas")
struct PastNamesTests {
  private func property(
    _ types: [ValueType],
    reference: String = "",
    isSame: Bool = false
  ) -> PastNames.Property {
    PastNames.Property(
      key: memberKey("a"),
      types: types,
      reference: Array(reference.utf8),
      isSame: isSame
    )
  }

  private func present(_ json: String, _ property: PastNames.Property) -> String? {
    PastNames.present(EncodedValue(json: Array(json.utf8)), property: property).map {
      String(decoding: $0.json + $0.special, as: UTF8.self)
    }
  }

  @Test("A value is read as the type that it had at first, and converted to each later type.")
  func conversions() {
    #expect(present("5", property([.int64, .decimal])) == #""5""#)
    #expect(present("5", property([.int16, .double, .double])) == "5.0")
    #expect(present(#""5""#, property([.decimal, .string])) == #""5""#)
    #expect(present("null", property([.int64, .decimal])) == "null")
    #expect(present("5", property([.int64], isSame: true)) == "5")
  }

  @Test("A value that is not of the type that it had at first is unknown.")
  func unreadable() {
    #expect(present(#""5""#, property([.int64, .decimal])) == nil)
    #expect(present("5", property([.decimal, .string])) == nil)
    #expect(present(#""5""#, property([.string, .int64])) == nil)
    var value = EncodedValue(json: Array("null".utf8))
    value.special = Array(#""no such special value""#.utf8)
    #expect(PastNames.present(value, property: property([.float, .double])) == nil)
    value.special = Array(#""inf""#.utf8)
    #expect(PastNames.present(value, property: property([.float, .double]))?.specialName == "inf")
  }

  @Test("A reference and a list of links use the present name of their entity.")
  func references() {
    let quoted = property([], reference: #"{"entity":"New","id":""#)
    #expect(present(#"{"entity":"Old","id":"7"}"#, quoted) == #"{"entity":"New","id":"7"}"#)
    #expect(
      present(#"[{"entity":"Old","id":"7"},{"entity":"Old","id":"8"}]"#, quoted)
        == #"[{"entity":"New","id":"7"},{"entity":"New","id":"8"}]"#
    )
    #expect(present("[]", quoted) == "[]" && present("null", quoted) == "null")
  }

  /// A schema in which guests and a place know each other.
  private func schema(place name: String, version: String) -> StoreSchema {
    func relationship(_ own: String, to other: String, inverse: String) -> Relationship {
      Relationship(
        name: own,
        destination: other,
        isToMany: true,
        inverse: inverse,
        storage: .joinTable("links", source: inverse, target: own)
      )
    }
    return StoreSchema(
      version: version,
      entities: [
        Entity(
          name: "Guest",
          relationships: [relationship("places", to: name, inverse: "guests")]
        ),
        Entity(
          name: name,
          relationships: [relationship("guests", to: "Guest", inverse: "places")],
          originalName: name == "Place" ? "Area" : "Place"
        ),
      ]
    )
  }

  @Test("Links that another entity owned in between are unknown to their first owner.")
  func movedLinks() throws {
    // The entity whose name is first owns the links.
    let schemas = [("Place", "1"), ("Area", "2"), ("Place", "3")].map {
      schema(place: $0, version: "\($1).0.0")
    }
    func guest(_ count: Int) throws -> PastNames.Successor? {
      let names = try PastNames(Array(schemas.prefix(count)))
      return Array("Guest".utf8).withUnsafeBytes { names.successor(of: $0) }
    }
    let own = try #require(try guest(1))
    #expect(own.properties[memberKey("places")]?.isSame == true && own.knowsLinks)
    let moved = try #require(try guest(2))
    #expect(moved.properties.isEmpty && moved.knowsLinks)
    let back = try #require(try guest(3))
    #expect(back.properties.isEmpty && !back.knowsLinks)
  }
}
