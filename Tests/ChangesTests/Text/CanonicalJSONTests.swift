import Foundation
import TestSupport
import Testing

@testable import Changes

@Suite("Canonical JSON text")
struct CanonicalJSONTests {
  static func canonical(_ text: String) throws -> String {
    String(decoding: try canonicalJSON(text.utf8), as: UTF8.self)
  }

  @Test("Keys are sorted by their bytes, blanks are removed, and numbers keep their text.")
  func known() throws {
    let expected: [(String, String)] = [
      (
        " { \"b\" : 1.50 , \"a\" : [ ] , \"é\" : { } , \"Z\" : null } ",
        "{\"Z\":null,\"a\":[],\"b\":1.50,\"é\":{}}"
      ),
      ("[1e5,-0,0.10, true ,false\n]", "[1e5,-0,0.10,true,false]"),
      ("\"\\u0041\\/\\u00e9\\ud83d\\udce6\\u0001\\u000A\"", "\"A/é📦\\u0001\\n\""),
      ("{\"\\\"\":1,\"#\":2,\"!\":3}", "{\"!\":3,\"\\\"\":1,\"#\":2}"),
      ("{\"\\u0001\":1,\"\":2}", "{\"\":2,\"\\u0001\":1}"),
      ("7", "7"), ("\"\"", "\"\""), ("{}", "{}"), ("[[[]]]", "[[[]]]"),
      (
        "{\"a\":{\"d\":1,\"c\":[{\"f\":1,\"e\":2}]}}", "{\"a\":{\"c\":[{\"e\":2,\"f\":1}],\"d\":1}}"
      ),
    ]
    for (text, canonical) in expected {
      #expect(try Self.canonical(text) == canonical)
    }
  }

  indirect enum Tree {
    case leaf(String)
    case string(String)
    case array([Tree])
    case object([(String, Tree)])

    /// A random tree; keys of an object differ.
    static func random(depth: Int, using generator: inout SeededGenerator) -> Tree {
      let count = Int.random(in: 0..<5, using: &generator)
      switch Int.random(in: 0..<(depth > 0 ? 5 : 2), using: &generator) {
      case 0:
        return .leaf(["1", "-0.5", "true", "null", "1E+9"][count])
      case 1:
        return .string(randomString(using: &generator))
      case 2:
        return .array((0..<count).map { _ in random(depth: depth - 1, using: &generator) })
      default:
        let keys = Set((0..<count).map { _ in randomString(using: &generator) }).sorted()
        return .object(keys.map { ($0, random(depth: depth - 1, using: &generator)) })
      }
    }

    static func randomString(using generator: inout SeededGenerator) -> String {
      let pieces = ["a", "B", "\"", "\\", "\n", "é", "📦", "\u{1}", "zz", "0"]
      return (0..<Int.random(in: 0..<5, using: &generator))
        .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
    }

    var canonical: String {
      switch self {
      case .leaf(let text): return text
      case .string(let string): return JSONStringTests.reference(string)
      case .array(let elements): return "[" + elements.map(\.canonical).joined(separator: ",") + "]"
      case .object(let members):
        let sorted = members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        let texts = sorted.map { JSONStringTests.reference($0.0) + ":" + $0.1.canonical }
        return "{" + texts.joined(separator: ",") + "}"
      }
    }

    /// The same tree with shuffled members, blanks and superfluous escapes.
    func disguised(using generator: inout SeededGenerator) -> String {
      let blank = ["", " ", "\n", "\t\r"][Int.random(in: 0..<4, using: &generator)]
      switch self {
      case .leaf(let text): return blank + text + blank
      case .string(let string): return Self.quoted(string, using: &generator) + blank
      case .array(let elements):
        let texts = elements.map { $0.disguised(using: &generator) }
        return blank + "[" + blank + texts.joined(separator: ",") + "]"
      case .object(let members):
        let texts = members.shuffled(using: &generator).map {
          blank + Self.quoted($0.0, using: &generator) + blank + ":"
            + $0.1.disguised(using: &generator)
        }
        return "{" + blank + texts.joined(separator: ",") + "}" + blank
      }
    }

    static func quoted(_ string: String, using generator: inout SeededGenerator) -> String {
      guard Bool.random(using: &generator) else { return JSONStringTests.reference(string) }
      let escapes = string.utf16.map { unit in
        "\\u" + String(Int(unit) + 0x10000, radix: 16).dropFirst()
      }
      return "\"" + escapes.joined() + "\""
    }
  }

  @Test("Each spelling of a tree has the same canonical form, and that form is canonical.")
  func disguises() throws {
    var generator = SeededGenerator(for: "canonical JSON")
    for _ in 0..<trials(2000, long: 100_000) {
      let tree = Tree.random(depth: 4, using: &generator)
      let expected = tree.canonical
      #expect(try Self.canonical(tree.disguised(using: &generator)) == expected)
      #expect(try Self.canonical(expected) == expected)
    }
  }

  @Test(
    "A text that is not JSON has no canonical form and is refused.",
    arguments: [
      "", " ", "{", "[", "\"", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[,]", "{,}", "01",
      "1.", ".5", "-", "1e", "+1", "tru", "nulll", "1 2", "[1 2]", "{\"a\" 1}", "{a:1}", "'a'",
      "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"",
      "{\"a\":1 \"b\":2}", "{\"a\":1,\"\\u0061\":2}", "NaN", "Infinity", "[1]]", "\u{feff}1",
      "\"\\u12é\"", "{\"a\":1]", "[1}",
    ]
  )
  func refused(_ text: String) {
    #expect(throws: JSONTextError.self) { try Self.canonical(text) }
  }

  @Test("Invalid UTF-8 and JSON that is nested too deeply are refused.")
  func limits() throws {
    #expect(throws: JSONTextError.self) { try canonicalJSON([0x22, 0xff, 0x22] as [UInt8]) }
    let depth = 512
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(try Self.canonical(deep) == deep)
    #expect(throws: JSONTextError.self) { try Self.canonical("[" + deep + "]") }
    #expect(throws: JSONTextError.self) {
      try Self.canonical(String(repeating: "{\"a\":", count: 200_000))
    }
  }

  @Test("An error names the byte where the text is wrong.")
  func place() {
    #expect(throws: JSONTextError(reason: "a key was expected", offset: 7)) {
      try Self.canonical("{\"a\":1,}")
    }
  }

  @Test("A text that ends early is refused, wherever it ends.")
  func cuts() throws {
    let text = Array(#"{"a\ud83d\ude00":[1.5e+3,-0,true,null,"\u00e9\n\\"]}"#.utf8)
    #expect(throws: Never.self) { try canonicalJSON(text) }
    for count in text.indices {
      #expect(throws: JSONTextError.self, "after \(count)") {
        try canonicalJSON(text.prefix(count))
      }
    }
  }

  @Test(
    "An error says what is wrong, and at which byte.",
    arguments: [
      ("", "it ends", 0), (" ", "it ends", 1), ("x", "not a value", 0), ("-", "it ends", 1),
      ("-x", "not a value", 1), ("1.", "it ends", 2), ("1.x", "not a value", 2),
      ("1e", "it ends", 2), ("1e+", "it ends", 3), ("1e-x", "not a value", 3),
      ("tru", "no value begins like this", 0), ("[fals]", "no value begins like this", 1),
      ("nul", "no value begins like this", 0), ("01", "text after the value", 1),
      ("1 2", "text after the value", 2), ("nulll", "text after the value", 4),
      ("[1 2]", "a comma or the end of the array was expected", 3),
      ("[1", "a comma or the end of the array was expected", 2), ("[", "it ends", 1),
      ("[1,]", "not a value", 3), ("{", "a key was expected", 1), ("{,}", "a key was expected", 1),
      ("{\"a\":1,}", "a key was expected", 7), ("{1:1}", "a key was expected", 1),
      ("{\"a\"}", "a colon was expected", 4), ("{\"a\" 1}", "a colon was expected", 5),
      ("{\"a\":1 \"b\":2}", "a comma or the end of the object was expected", 7),
      ("{\"a\":1", "a comma or the end of the object was expected", 6),
      ("{\"a\":1,\"a\":2}", "the key a occurs twice", 13),
      ("{\"b\":1,\"a\":2,\"b\":3}", "the key b occurs twice", 19),
      ("\"", "the string has no end", 1), ("\"ab", "the string has no end", 3),
      ("\"a\n\"", "a control character in a string", 2),
      ("\"\\x\"", "an escape that JSON doesn't have", 2),
      ("\"\\", "an escape that JSON doesn't have", 2),
      ("\"\\u12\"", "four hexadecimal digits were expected", 5),
      ("\"\\u", "four hexadecimal digits were expected", 3),
      ("\"\\u000g\"", "four hexadecimal digits were expected", 6),
      ("\"\\udc00\"", "half of a surrogate pair", 7), ("\"\\ud800", "half of a surrogate pair", 7),
      ("\"\\ud800\"", "half of a surrogate pair", 7),
      ("\"\\ud800\\", "half of a surrogate pair", 7),
      ("\"\\ud800\\n\"", "half of a surrogate pair", 7),
      ("\"\\ud800xu\"", "half of a surrogate pair", 7),
      ("\"\\ud800\\u", "four hexadecimal digits were expected", 9),
      ("\"\\ud800\\udbff\"", "half of a surrogate pair", 13),
      ("\"\\ud800\\ue000\"", "half of a surrogate pair", 13),
      ("\"\\udc00\\udc00\"", "half of a surrogate pair", 7),
    ]
  )
  func places(text: String, reason: String, offset: Int) {
    let error = JSONTextError(reason: reason, offset: offset)
    #expect(error.description == "invalid JSON at byte \(offset): \(reason)")
    #expect(throws: error) { try Self.canonical(text) }
  }

  @Test("Each escape has its character, and surrogate pairs reach the ends of their range.")
  func escapes() throws {
    #expect(
      try Self.canonical(#""\"\\\/\b\t\n\f\r\u00e9\u00E9\u0000""#)
        == "\"\\\"\\\\/\\b\\t\\n\\f\\réé\\u0000\""
    )
    for (text, scalar) in [
      (#"\ud800\udc00"#, 0x10000), (#"\udbff\udfff"#, 0x10ffff), (#"\uD83D\uDCE6"#, 0x1f4e6),
      (#"\ud7ff"#, 0xd7ff), (#"\ue000"#, 0xe000), (#"\uffff"#, 0xffff),
    ] as [(String, UInt32)] {
      let expected = try #require(Unicode.Scalar(scalar))
      #expect(try Self.canonical("\"\(text)\"") == "\"\(expected)\"")
    }
  }

  @Test(
    "A string that is not UTF-8 is an error at its opening quote, and a deep text at its bracket."
  )
  func otherPlaces() {
    #expect(throws: JSONTextError(reason: "the string is not UTF-8", offset: 1)) {
      try canonicalJSON([0x5b, 0x22, 0x61, 0xff, 0x22, 0x5d] as [UInt8])
    }
    let deep = String(repeating: "[", count: 513)
    #expect(throws: JSONTextError(reason: "more than 512 levels", offset: 512)) {
      try Self.canonical(deep)
    }
    let objects = String(repeating: "{\"a\":", count: 512)
    #expect(throws: JSONTextError(reason: "more than 512 levels", offset: 2560)) {
      try Self.canonical(objects + "{")
    }
    #expect(throws: Never.self) {
      try Self.canonical(objects + "1" + String(repeating: "}", count: 512))
    }
  }
}
