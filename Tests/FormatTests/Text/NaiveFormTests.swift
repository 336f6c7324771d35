import Foundation
import Testing

@testable import Format

/// Compares readers with regular expressions, for all short texts and for each byte of longer ones.
@Suite("Canonical texts against regular expressions")
struct NaiveFormTests {
  /// Calls `body` with every text of up to five characters from the edges of each range.
  private func forEachShortText(_ body: (String) -> Void) {
    let alphabet = Array("-./019:")
    var texts = [""]
    for _ in 0..<5 {
      texts = texts.flatMap { text in alphabet.map { text + String($0) } }
      texts.forEach(body)
    }
  }

  @Test("Every short text is an integer if it has no plus, no leading zero and no negative zero.")
  func integers() throws {
    let form = /0|-?[1-9][0-9]*/
    forEachShortText { text in
      let isRead = bytes(text, parseInteger)
      let expected = text.wholeMatch(of: form) == nil ? nil : Int64(text)
      let unsigned = text.hasPrefix("-") ? nil : expected.map(UInt64.init)
      if isRead != expected || bytes(text, parseUnsignedInteger) != unsigned {
        Issue.record("\(text)")
      }
    }
  }

  @Test(
    "Every short text is a decimal without superfluous zeros, and a double if it has a point."
  )
  func decimals() {
    let decimal = /(0|-?[1-9][0-9]*)|-?(0|[1-9][0-9]*)\.[0-9]*[1-9]/
    let double = /-?(0|[1-9][0-9]*)\.([0-9]|[0-9]*[1-9])/
    forEachShortText { text in
      if bytes(text, isCanonicalDecimal) != (text.wholeMatch(of: decimal) != nil) {
        Issue.record("\(text) as a decimal")
      }
      let number = text.wholeMatch(of: double) == nil ? nil : Double(text)
      if bytes(text, parseDouble)?.bitPattern != number?.bitPattern {
        Issue.record("\(text) as a double")
      }
    }
  }

  /// Calls `body` with the text after each possible change of one byte.
  private func forEachAlteration(of text: String, _ body: ([UInt8]) -> Void) {
    for place in text.utf8.indices.enumerated().map(\.offset) {
      for byte in UInt8(0)...255 {
        var altered = Array(text.utf8)
        altered[place] = byte
        body(altered)
      }
    }
  }

  @Test("A UUID with one other byte is accepted if that byte is a digit or an upper-case A to F.")
  func uuids() {
    let form = /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/
    forEachAlteration(of: CanonicalValueTests.uuid) { altered in
      let isRight = String(validating: altered, as: UTF8.self)?.wholeMatch(of: form) != nil
      if altered.withUnsafeBytes({ isCanonicalUUID($0) }) != isRight { Issue.record("\(altered)") }
    }
  }

  @Test("A date with one other byte is accepted if the text is another date.")
  func dates() throws {
    let form = /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.[0-9]*[1-9])?Z/.asciiOnlyDigits()
    for text in ["2024-02-29T23:59:59Z", "1999-12-31T10:20:30.25Z", "2001-01-01T00:00:00.5Z"] {
      forEachAlteration(of: text) { altered in
        var isRight = false
        if let match = String(validating: altered, as: UTF8.self)?.wholeMatch(of: form),
          let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
          let hour = Int(match.4), let minute = Int(match.5), let second = Int(match.6)
        {
          let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
          let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
          isRight =
            year > 0 && (1...12).contains(month) && day > 0 && day <= days[month - 1] && hour < 24
            && minute < 60 && second < 60
        }
        if (altered.withUnsafeBytes { parseDate($0) } != nil) != isRight {
          Issue.record("\(String(decoding: altered, as: UTF8.self))")
        }
      }
    }
  }

  @Test("A value of any type with one other byte is refused, or is the text of another value.")
  func values() {
    for example in CanonicalValueTests.numbers + CanonicalValueTests.others
    where example.special == nil {
      forEachAlteration(of: example.text) { altered in
        let read = altered.withUnsafeBytes { try? parseCanonical($0, as: example.type) }
        let isPlain = altered.withUnsafeBytes { isPlainlyCanonical($0, as: example.type) }
        guard let read else {
          if isPlain { Issue.record("\(altered) as \(example.type)") }
          return
        }
        var written: [UInt8] = []
        let special = appendCanonical(read, as: example.type, to: &written)
        if written != altered || special != nil { Issue.record("\(altered) as \(example.type)") }
      }
    }
  }
}
