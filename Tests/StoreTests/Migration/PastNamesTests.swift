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

  @Test("A renamed or removed attribute is found by the name that it had in the first schema.")
  func followedAttributes() throws {
    func schema(_ version: String, _ attributes: [Attribute]) -> StoreSchema {
      StoreSchema(version: version, entities: [Entity(name: "E", attributes: attributes)])
    }
    var renamed = Attribute(name: "n", type: .int32)
    renamed.originalName = "a"
    let names = try PastNames([
      schema("1", ["a", "b", "c"].map { Attribute(name: $0, type: .int32) }),
      schema("2", [renamed, Attribute(name: "b", type: .int32)]),
      schema("3", [renamed, Attribute(name: "b", type: .int64)]),
    ])
    let found = try #require(Array("E".utf8).withUnsafeBytes { names.successor(of: $0) })
    #expect(found.entity == 0)
    #expect(Set(found.properties.keys) == [memberKey("a"), memberKey("b")])
    let first = try #require(found.properties[memberKey("a")])
    #expect(
      first.key == memberKey("n") && !first.isSame && first.types == [.int32, .int32, .int32]
    )
    let second = try #require(found.properties[memberKey("b")])
    #expect(second.key == memberKey("b") && !second.isSame)
    #expect(second.types == [.int32, .int32, .int64])
    #expect(Array("F".utf8).withUnsafeBytes { names.successor(of: $0) } == nil)
    let none = try PastNames([])
    #expect(Array("E".utf8).withUnsafeBytes { none.successor(of: $0) } == nil)
    let same = try PastNames([schema("1", [Attribute(name: "a", type: .int32)])])
    let own = Array("E".utf8).withUnsafeBytes { same.successor(of: $0) }
    #expect(own?.properties[memberKey("a")]?.isSame == true)
  }
}
