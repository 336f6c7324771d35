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
}
