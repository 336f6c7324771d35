import Testing

@testable import Changes

@Suite("Canonical text")
struct CanonicalTextTests {
  @Test("An object is split into its members, also if a key is empty.")
  func members() {
    let members = bytes(#"{"":1,"a":"b,}","c":[2,3]}"#) { CanonicalText($0).members }
    #expect(
      members.map { String(decoding: $0.key, as: UTF8.self) } == [#""":"#, #""a":"#, #""c":"#]
    )
    #expect(
      members.map { String(decoding: $0.value, as: UTF8.self) } == ["1", #""b,}""#, "[2,3]"]
    )
  }

  @Test("A value without the comma or bracket that should follow it is not found.")
  func cut() {
    let key = memberKey("a")
    for (text, value) in [(#"{"a":1}"#, "1"), (#"{"a":1,"#, "1"), (#"{"a":1"#, nil), ("{", nil)] {
      #expect(bytes(text) { CanonicalText($0).members.count } == (value == nil ? 0 : 1))
      let found = bytes(text) { object in
        memberValue(of: key, in: object).map { String(decoding: $0, as: UTF8.self) }
      }
      #expect(found == value, "\(text)")
    }
  }
}
