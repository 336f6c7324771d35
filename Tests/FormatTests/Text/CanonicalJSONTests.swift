import Foundation
import TestSupport
import Testing

@testable import Format

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
}
