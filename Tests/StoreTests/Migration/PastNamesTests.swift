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
}
