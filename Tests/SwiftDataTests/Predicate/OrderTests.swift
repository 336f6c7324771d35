import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Orders of strings and numbers in SQL")
struct OrderTests {
  /// Pairs of strings with common prefixes, of characters that interact with each other.
  private func pairs(_ alphabets: [[String]], count: Int) -> [(String, String)] {
    var generator = SeededGenerator(seed: 42)
    return (0..<count).map { round in
      let alphabet = alphabets[round % alphabets.count]
      func text(_ most: Int) -> String {
        (0..<Int.random(in: 0...most, using: &generator))
          .map { _ in alphabet.randomElement(using: &generator) ?? "" }.joined()
      }
      let start = text(5)
      let other = Bool.random(using: &generator) ? start : start.uppercased()
      return (start + text(3), other + text(3))
    }
  }

  private func sign(_ result: ComparisonResult) -> Int32 { Int32(result.rawValue) }

  private func order(
    _ left: String,
    _ right: String,
    _ compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32
  ) -> Int32 {
    var left = left
    var right = right
    return left.withUTF8 { first in
      right.withUTF8 { second in
        compare(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer(second))
      }
    }
  }

  private var printable: [String] { (0x20..<0x7f).map { String(UnicodeScalar(UInt8($0))) } }

  @Test("The fast localized order for ASCII equals Foundation's.")
  func localized() {
    let alphabets = [
      printable, ["a", "A", "b", "B", "1", "2", "0"], ["9", "1", "10", "0", " ", "-", "x"],
      ["a", "é", "E\u{301}", "ß", "1", "Z", "_"],
    ]
    var differences: [String] = []
    for (left, right) in pairs(alphabets, count: 20_000) {
      let standard = order(left, right, LocalizedOrder.standard)
      if standard != sign(left.localizedStandardCompare(right)) {
        differences.append("standard \(left.debugDescription) \(right.debugDescription)")
      }
      let localized = order(left, right, LocalizedOrder.localized)
      if localized != sign(left.localizedCompare(right)) {
        differences.append("localized \(left.debugDescription) \(right.debugDescription)")
      }
    }
    #expect(differences.isEmpty, "\(differences.prefix(5))")
  }

  @Test("The order of Swift's strings is that of canonical composition.")
  func swift() {
    let alphabets = [
      ["a", "b", "e\u{301}", "é", "\u{301}", "\u{327}", "z", "K", "\u{212a}", "제", "\u{1112}"],
      ["a", "b", "\u{ff21}", "🙂", "\0", "\r", "\n"], printable,
    ]
    var differences: [String] = []
    for (left, right) in pairs(alphabets, count: 20_000) {
      let wanted: Int32 = left == right ? 0 : left < right ? -1 : 1
      if order(left, right, StringOrder.compare) != wanted {
        differences.append("\(left.debugDescription) \(right.debugDescription)")
      }
    }
    #expect(differences.isEmpty, "\(differences.prefix(5))")
  }

  @Test("Only three scalars are canonically equivalent to ASCII.")
  func spellings() {
    var found: [Unicode.Scalar] = []
    for value in 0x80...0x10ffff {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      // Hangul syllables and scalars that are their own form are skipped; few others are left.
      let first = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.first
      if let first, first.isASCII,
        String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.count == 1
      {
        found.append(scalar)
      }
    }
    #expect(found == ["\u{37e}", "\u{1fef}", "\u{212a}"])
    #expect(CanonicalSpellings.of("K;") == ["K;", "\u{212a};", "K\u{37e}", "\u{212a}\u{37e}"])
    #expect(CanonicalSpellings.of("plain") == ["plain"])
    #expect(CanonicalSpellings.of("KKKKK") == nil)
    #expect(CanonicalSpellings.of("é") == nil)
  }
}
