import Foundation
import Testing

@testable import JSON5

@Suite("Reading JSON5")
struct JSON5ReaderTests {
  @Test("Comments, trailing commas, bare names and both quotes are read, with their places.")
  func document() throws {
    let value = try readJSON5(
      """
      // What to do.
      {
        name: 'nightly', /* a
        comment */ "steps": [1, +2.5, -3e2,],
        last: null, yes: true,
      }

      """
    )
    guard case .object(let members) = value.content else {
      Issue.record("not an object: \(value)")
      return
    }
    #expect(value.position == Position(line: 2, column: 1))
    #expect(members.map(\.key) == ["name", "steps", "last", "yes"])
    #expect(members[0].value.content == .string("nightly"))
    #expect(members[1].position == Position(line: 4, column: 14))
    guard case .array(let list) = members[1].value.content else {
      Issue.record("not a list: \(members[1])")
      return
    }
    #expect(list.map(\.content) == [.number("1"), .number("2.5"), .number("-3e2")])
    #expect(list[2].position == Position(line: 4, column: 33))
    #expect(members[2].value.content == .null)
    #expect(members[3].value.content == .bool(true))
  }

  @Test("All escapes in texts are read.")
  func strings() throws {
    let text = #"'a\n\t\x41\u00e9\ud83c\udf0a\'\"\\\/' "#
    #expect(try readJSON5(text).content == .string("a\n\tAé🌊'\"\\/"))
    #expect(try readJSON5("'one \\\ntwo'").content == .string("one two"))
  }

  @Test(
    "Each error names the line and the column.",
    arguments: [
      ("", "1:1"), ("{", "1:1"), ("{a 1}", "1:4"), ("{a: 1 b: 2}", "1:7"), ("[1,,2]", "1:4"),
      ("{a: 1,\n a: 2}", "2:2"), ("'open", "1:1"), ("'a\nb'", "1:1"), ("/* open", "1:1"),
      ("/x", "1:1"), ("yes", "1:1"), ("{a: Infinity}", "1:5"), ("[0x10]", "1:2"),
      ("1 2", "1:3"), (#"'\ud800'"#, "1:3"), (#"'\u12'"#, "1:3"), ("[1.2.3]", "1:2"),
      ("{,}", "1:2"),
      ("{a:\r\n\r\n  ?}", "3:3"),
    ]
  )
  func errors(text: String, place: String) {
    do throws(JSON5Error) {
      let value = try readJSON5(text)
      Issue.record("\(text) is read as \(value)")
    } catch {
      #expect("\(error.position)" == place, "\(error)")
    }
  }

  @Test("Values that are nested too deeply are refused before they exhaust the stack.")
  func depth() {
    #expect(throws: JSON5Error.self) {
      try readJSON5(String(repeating: "[", count: 100_000))
    }
  }

  @Test("JSON is read as Foundation reads it, and no cut text is accepted.")
  func againstFoundation() throws {
    let text = #"{"a": [1, 2.5, {"b": "x\u00e9\n", "c": null}], "d": true, "e": {"f": []}}"#
    let value = try readJSON5(text)
    let foundation = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
    #expect(object(value) as? NSDictionary == foundation)
    for length in 0..<text.count {
      #expect(throws: JSON5Error.self) { try readJSON5(String(text.prefix(length))) }
    }
  }

  private func object(_ value: JSON5Value) -> Any {
    switch value.content {
    case .null: NSNull()
    case .bool(let bool): NSNumber(value: bool)
    case .number(let number): NSNumber(value: Double(number) ?? .nan)
    case .string(let text): text as NSString
    case .array(let list): list.map(object) as NSArray
    case .object(let members):
      NSDictionary(
        objects: members.map { object($0.value) },
        forKeys: members.map { $0.key as NSString }
      )
    }
  }
}
