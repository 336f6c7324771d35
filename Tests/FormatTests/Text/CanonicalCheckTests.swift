import Foundation
import TestSupport
import Testing

@testable import Format

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
}
