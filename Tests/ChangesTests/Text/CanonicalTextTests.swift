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

  @Test("A list is split into its elements, and a name into a key and back.")
  func elements() {
    func elements(_ text: String) -> [String] {
      bytes(text) { CanonicalText($0).elements }.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(elements("[]") == [] && elements("[1]") == ["1"])
    #expect(elements(#"[1,"a,]",{"b":[2]},[]]"#) == ["1", #""a,]""#, #"{"b":[2]}"#, "[]"])
    #expect(elements("{}") == [] && elements("") == [] && elements("[1") == [])
    #expect(elements("[,1]") == [] && elements("[1,,2]") == ["1"])
    #expect(memberKey("a\"") == Array(#""a\"":"#.utf8))
    #expect(memberName(memberKey("a\"")) == "a\"" && memberName(Array("a:".utf8)) == nil)
    #expect(memberName([]) == nil && memberName(Array(#"":"#.utf8)) == nil)
  }

  @Test("A value is found by its whole key, and only in the outer object.")
  func values() {
    func value(_ name: String, _ text: String) -> [String?] {
      let first = bytes(text) { CanonicalText($0).value(of: name) }
      let second = bytes(text) { memberValue(of: memberKey(name), in: $0).map { Array($0) } }
      return [first, second].map { $0.map { String(decoding: $0, as: UTF8.self) } }
    }
    let text = #"{"ab":1,"a":{"b":2},"c":"","d":[3,"b"]}"#
    #expect(value("a", text) == [#"{"b":2}"#, #"{"b":2}"#])
    #expect(value("ab", text) == ["1", "1"] && value("b", text) == [nil, nil])
    #expect(
      value("c", text) == [#""""#, #""""#] && value("d", text) == [#"[3,"b"]"#, #"[3,"b"]"#]
    )
    #expect(value("", text) == [nil, nil] && value("a", "{}") == [nil, nil])
    #expect(value("a", "") == [nil, nil] && value("a", "{") == [nil, nil])
  }

  @Test("Each property of an object is visited, until the text is not an object any more.")
  func visits() {
    func visited(_ text: String) -> [String] {
      var result: [String] = []
      Array(text.utf8).withUnsafeBytes {
        forEachMember(of: $0) {
          result.append(String(decoding: $0, as: UTF8.self) + String(decoding: $1, as: UTF8.self))
        }
      }
      return result
    }
    #expect(visited("") == [] && visited("{") == [] && visited("{}") == [])
    #expect(visited(#"{"":1}"#) == [#""":1"#])
    #expect(visited(#"{"a":1,"b:":"}"}"#) == [#""a":1"#, #""b:":"}""#])
    #expect(visited(#"{"a":1,"b":}"#) == [#""a":1"#] && visited(#"{"a":1,"b":2"#) == [#""a":1"#])
    #expect(visited(#"{"a":1,"b""#) == [#""a":1"#] && visited(#"{"a":1,"b"#) == [#""a":1"#])
  }

  @Test("A string ends at its first quote without a backslash, also after control characters.")
  func ends() {
    func end(_ text: String, from start: Int = 0) -> Int {
      bytes(text) { endOfString(in: $0, from: start) }
    }
    #expect(end("") == 0 && end("\"") == 0 && end("ab") == 2 && end("ab", from: 2) == 2)
    #expect(end("ab\"c\"") == 2 && end("ab\"c\"", from: 3) == 4)
    #expect(end("\u{1}\"b") == 1 && end("a\u{1}\"b") == 2 && end("\n\n\"b") == 2)
    #expect(end("\u{1f}\\\"\"b") == 3 && end("a\u{1}") == 2 && end("a\n\n") == 3)
    #expect(end("\\\"\"b") == 2 && end("\\\\\"b") == 2 && end("\\\\\\\"\"") == 4)
    #expect(end("\\") == 1 && end("\\\"") == 2 && end("a\\") == 2)
  }

  @Test("A value ends before the comma, brace or bracket that follows it at the same level.")
  func endsOfValues() {
    func end(_ text: String, from start: Int = 0) -> Int {
      bytes(text) { endOfValue(in: $0, from: start) }
    }
    #expect(end("") == 0 && end(",") == 0 && end("}") == 0 && end("]") == 0)
    #expect(end("1,2") == 1 && end("12}") == 2 && end("12]") == 2 && end("12") == 2)
    #expect(end("\"a,b\",2") == 5 && end("\"a}\"}") == 4 && end("\"a") == 2 && end("\"") == 1)
    #expect(end("[1,2],3") == 5 && end("{\"a\":[{}]},3") == 10 && end("[1,2") == 4)
    #expect(end("[]]") == 2 && end("{}}") == 2 && end("[[],[]]]") == 7)
    #expect(end("0,1,2", from: 2) == 3 && end("0,1,2", from: 4) == 5 && end("0,", from: 2) == 2)
  }
}
