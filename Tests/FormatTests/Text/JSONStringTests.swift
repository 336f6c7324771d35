import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("JSON strings")
struct JSONStringTests {
  /// A naive encoder: one scalar after the other.
  static func reference(_ string: String) -> String {
    var result = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{8}": result += "\\b"
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\u{c}": result += "\\f"
      case "\r": result += "\\r"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  static func written(_ string: String) -> String {
    text { appendJSONString(string, to: &$0) }
  }

  @Test("Every scalar below 0x300 is escaped as the reference does, at any place in a text.")
  func everySmallScalar() throws {
    for value in UInt32(0)..<0x300 {
      let scalar = try #require(Unicode.Scalar(value))
      for lead in 0..<18 {
        let string =
          String(repeating: "x", count: lead) + String(Character(scalar)) + "yz\u{7f}\u{2028}"
        let written = Self.written(string)
        let back = bytes(written, parseJSONString)
        guard written == Self.reference(string), back?.utf8.elementsEqual(string.utf8) == true
        else {
          Issue.record("\(value) after \(lead)")
          continue
        }
      }
    }
  }

  @Test("Any text is read back, and Foundation reads the same.")
  func roundTrip() throws {
    var generator = SeededGenerator(for: "JSON strings")
    let alphabet = Array(
      "ab\"\\/\u{0}\u{1}\u{1f}\n\t\r\u{8}\u{c}é한📦\u{2029} zzzzzzzz".unicodeScalars
    )
    for _ in 0..<trials(2000, long: 200_000) {
      var string = ""
      for _ in 0..<Int.random(in: 0..<60, using: &generator) {
        string.unicodeScalars.append(
          alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        )
      }
      let written = Self.written(string)
      #expect(written == Self.reference(string))
      #expect(bytes(written, parseJSONString)?.utf8.elementsEqual(string.utf8) == true)
      let decoded = try JSONDecoder().decode([String].self, from: Data("[\(written)]".utf8))
      #expect(decoded.first?.utf8.elementsEqual(string.utf8) == true)
    }
  }

  @Test(
    "A JSON string that is not canonical is refused.",
    arguments: [
      "", "\"", "abc", "\"abc", "abc\"", #""a"b""#, #""\/""#, #""\u0041""#, #""\u001F""#,
      #""\u000a""#, #""\u00e9""#, #""\u0022""#, #""\u00""#, #""\u001""#, #""\x""#, #""\""#,
      "\"a\nb\"", "\"\u{1}\"", #""\B""#, #""\U001f""#,
    ]
  )
  func refused(_ text: String) {
    #expect(bytes(text, parseJSONString) == nil)
  }

  @Test("Invalid UTF-8 is refused, with and without escapes.")
  func brokenText() {
    for bad: [UInt8] in [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]] {
      for tail: [UInt8] in [[], Array("\\n".utf8)] {
        let bytes = [0x22] + bad + tail + [0x22]
        #expect(bytes.withUnsafeBytes { parseJSONString($0) } == nil)
      }
    }
  }
}
