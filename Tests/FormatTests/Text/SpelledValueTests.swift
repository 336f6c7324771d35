import Foundation
import TestSupport
import Testing

@testable import Format

/// The text of a value with its storage class.
func spelled(_ value: Value) -> String {
  var bytes: [UInt8] = []
  value.appendSpelling(to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

/// The value that a text spells.
func value(_ text: String) -> Value? {
  Array(text.utf8).withUnsafeBytes { Value(spelling: $0) }
}

/// Values with the bits, digits, quotes and bytes that texts confuse.
func randomValue(using generator: inout SeededGenerator) -> Value {
  let choices: [UInt8] = [0, 9, 0x22, 0x2c, 0x3a, 0x5c, 0x5d, 0x61, 0xc3, 0xa9, 0xff]
  let bytes = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
    choices[Int.random(in: choices.indices, using: &generator)]
  }
  switch Int.random(in: 0..<6, using: &generator) {
  case 0: return .null
  case 1:
    return .integer(
      Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
    )
  case 2:
    let number = Double(bitPattern: generator.next())
    return number.isNaN ? .real(-0.0) : .real(number)
  case 3: return .blob(Data(bytes))
  default: return bytes.withUnsafeBytes { Value(text: $0) }
  }
}

@Suite("The text of a value of an adopted table")
struct SpelledValueTests {
  @Test("The text of a value begins with its storage class.")
  func storageClasses() {
    #expect(spelled(.null) == "null")
    #expect(spelled(.integer(-7)) == "integer:-7")
    #expect(spelled(.real(7)) == "real:7.0")
    #expect(spelled(.real(-0.0)) == "real:-0.0")
    #expect(spelled(.real(-.infinity)) == "real:-inf")
    #expect(spelled(.text("null")) == "text:null")
    #expect(spelled(.blob(Data([0, 255]))) == "blob:AP8=")
    #expect(spelled(.brokenText(Data([255]))) == "text64:/w==")
  }

  @Test("Each value is read from its text with the same bits.")
  func roundTrip() throws {
    var generator = SeededGenerator(for: "roundTrip")
    for _ in 0..<trials(20_000, long: 1_000_000) {
      let original = randomValue(using: &generator)
      let read = try #require(value(spelled(original)), "\(original)")
      #expect(read.isSame(as: original), "\(original) became \(read)")
    }
  }

  @Test(
    "A text that is not the canonical text of a value is refused.",
    arguments: [
      "", "7", "integer:", "integer:07", "integer:+7", "integer:9223372036854775808", "real:7",
      "real:1e5", "real:nan", "real:+inf", "Text:a", "blob:AP8", "blob:AP9=", "text64:YQ==",
      "text64:", "NULL", "null:", ":a",
    ]
  )
  func refusals(text: String) {
    #expect(value(text) == nil)
  }
}
