import Foundation
import TestSupport
import Testing

@testable import Changes

@Suite("Checking values without creating them")
struct CanonicalCheckTests {
  /// Bytes that have a meaning in some type.
  private static let alphabet = Array("\"\\nulltrefas0123456789.-+eE:TZAa=/ {}[]\u{1}é".utf8)

  @Test("The fast check accepts only canonical texts among randomly altered ones.")
  func sound() {
    var generator = SeededGenerator(for: "canonical check")
    var found = 0
    for type in ValueType.allCases {
      for value in CanonicalValueTests.oddValues {
        let (text, special) = CanonicalValueTests.encode(value, as: type)
        for round in 0..<60 {
          var bytes = Array(text.utf8)
          if round > 0, let place = bytes.indices.randomElement(using: &generator),
            let byte = Self.alphabet.randomElement(using: &generator)
          {
            switch round % 3 {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            default: bytes.remove(at: place)
            }
          }
          let isPlain = bytes.withUnsafeBytes { isPlainlyCanonical($0, as: type) }
          let isCanonical = bytes.withUnsafeBytes {
            // A refusal is one of the two right answers.
            (try? parseCanonical($0, as: type)) != nil
          }
          #expect(!isPlain || isCanonical, "\(String(decoding: bytes, as: UTF8.self)) as \(type)")
          if isPlain { found += 1 }
          if round == 0, special == nil, type != .json { #expect(isCanonical) }
        }
      }
    }
    // The fast check must accept enough texts to be useful.
    #expect(found > 2000)
  }

  @Test("The fast check and the reader accept the same base64.")
  func base64() {
    var generator = SeededGenerator(for: "base64 check")
    for _ in 0..<5000 {
      let data = Data(
        (0..<Int.random(in: 0...20, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
      )
      var text = Array(data.base64EncodedString().utf8)
      #expect(text.withUnsafeBytes { isCanonicalBase64($0) })
      guard let place = text.indices.randomElement(using: &generator) else { continue }
      text[place] = UInt8.random(in: 0...127, using: &generator)
      text.withUnsafeBytes { #expect(isCanonicalBase64($0) == (parseBase64($0) != nil)) }
    }
  }

  @Test("The check of UTF-8 agrees with Swift for every beginning of a character.")
  func unicode() {
    let edges: [UInt8] = [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xff]
    func check(_ bytes: [UInt8]) {
      let expected = String(validating: bytes, as: UTF8.self) != nil
      guard bytes.withUnsafeBytes({ isValidUTF8($0) }) == expected else {
        Issue.record("\(bytes) should be \(expected)")
        return
      }
    }
    for first in UInt8(0)...255 {
      check([first])
      for second in UInt8(0)...255 {
        check([first, second])
        guard first >= 0xc0 else { continue }
        for third in edges {
          check([first, second, third])
          if first >= 0xf0 { for fourth in edges { check([first, second, third, fourth]) } }
        }
      }
    }
    // At each position, because the check reads eight bytes at once.
    for count in 0..<20 {
      let text = [UInt8](repeating: 0x61, count: count)
      check(text + Array("é".utf8) + text)
      check(text + [0xc3] + text)
    }
  }

  @Test("The fast check accepts the common texts of each type, and leaves no doubt about others.")
  func common() {
    let uuid = "0F000000-0000-0000-0000-00000000000A"
    let accepted: [(ValueType, [String])] = [
      (.bool, ["true", "false", "null"]), (.int8, ["-128", "0", "127", "null"]),
      (.int64, ["-9223372036854775808", "9223372036854775807"]), (.uint8, ["0", "255"]),
      (.uint32, ["4294967295"]), (.double, ["0.0", "-0.0", "0.0001", "-1.5", "12.25", "null"]),
      (.float16, ["1.5"]), (.float, ["1.5"]), (.string, ["\"\"", "\"é\\n\\u001f\"", "null"]),
      (.url, ["\"a:b\""]), (.json, ["\"{}\""]), (.uint64, ["\"0\"", "\"18446744073709551615\""]),
      (.decimal, ["\"-0.5\"", "\"7\""]), (.date, ["\"2001-01-01T00:00:00Z\""]),
      (.uuid, ["\"\(uuid)\""]), (.data, ["\"\"", "\"AAAA\"", "\"AA==\""]),
      (.transformed, ["\"AAA=\""]), (.any, ["\"text:\"", "\"text:é\\\\\"", "null"]),
    ]
    for (type, texts) in accepted {
      for text in texts { #expect(bytes(text) { isPlainlyCanonical($0, as: type) }, "\(text)") }
    }
    let refused: [(ValueType, [String])] = [
      (.bool, ["", "t", "f", "tru", "truf", "falsee", "1", "nul", "\"true\""]),
      (.int8, ["-129", "128", "1.0", "-0", "", "\"1\""]), (.uint8, ["-1", "256"]),
      (.double, ["1", "1.50", "0.00001", ".5", "1e5", "-"]), (.uint64, ["7", "\"-1\"", "\"01\""]),
      (.string, ["", "\"", "a", "\"a", "a\"", "\"\\u0041\"", "\"\n\""]),
      (.decimal, ["\"-0\"", "\"1.0\""]), (.date, ["\"2001-01-01\""]),
      (.uuid, ["\"\(uuid.lowercased())\"", "\"\(uuid.dropLast())\""]),
      (.data, ["\"A\"", "\"AB==\""]),
      (.any, ["\"integer:7\"", "\"text\"", "\"\"", "\"Text:a\"", "text:a"]),
    ]
    for (type, texts) in refused {
      for text in texts { #expect(!bytes(text) { isPlainlyCanonical($0, as: type) }, "\(text)") }
    }
  }

  @Test("A UUID has 36 characters: four dashes, digits and the capital letters A to F.")
  func uuids() {
    let uuid = Array("01234567-89AB-CDEF-0189-ABCDEF012345".utf8)
    func isUUID(_ text: [UInt8]) -> Bool { text.withUnsafeBytes { isCanonicalUUID($0) } }
    #expect(isUUID(uuid) && !isUUID(uuid + [0x30]) && !isUUID(Array(uuid.dropLast())))
    let digits = Set("0123456789ABCDEF".utf8)
    for place in uuid.indices {
      for byte in UInt8.min ... .max {
        var other = uuid
        other[place] = byte
        let isRight = [8, 13, 18, 23].contains(place) ? byte == 0x2d : digits.contains(byte)
        guard isUUID(other) != isRight else { continue }
        Issue.record("byte \(byte) at \(place)")
      }
    }
  }

  @Test("Each of the bytes after the first byte of a character must be in its range.")
  func continuations() {
    func isValid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { isValidUTF8($0) } }
    for whole: [UInt8] in [
      [0xc2, 0x80], [0xe0, 0xa0, 0x80], [0xed, 0x9f, 0x80], [0xef, 0xbf, 0xbf],
      [0xf0, 0x90, 0x80, 0x80], [0xf1, 0x80, 0x80, 0x80], [0xf4, 0x8f, 0xbf, 0xbf],
    ] {
      #expect(isValid(whole))
      for place in whole.indices.dropFirst() {
        #expect(!isValid(Array(whole[..<place])))
        for byte: UInt8 in [0x00, 0x41, 0x7f, 0xc0, 0xff] {
          var other = whole
          other[place] = byte
          #expect(!isValid(other), "\(other)")
        }
      }
    }
  }
}
