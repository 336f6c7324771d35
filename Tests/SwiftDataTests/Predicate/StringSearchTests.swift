import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Searches of random strings in SQL")
struct StringSearchTests {
  /// Characters that combine with each other, that are equivalent to others, that differ only in
  /// case, or at which the fast paths of the functions begin or end.
  private static let alphabets = [
    ["a", "b", "e\u{301}", "é", "\u{301}", "\u{327}", "ǖ", "ü", "u", "\u{308}", "\u{304}"],
    ["K", "\u{212a}", "k", ";", "\u{37e}", "`", "\u{1fef}", "J", "L", "<", "=", "\u{338}"],
    ["\r", "\n", "\0", "\u{7f}", "~", "\u{2ff}", "\u{300}", " ", "a", "\u{ad}"],
    ["中", "文", "\u{4000}", "\u{9fff}", "\u{3fff}", "\u{a000}", "\u{f900}", "豈", "\u{3099}", "か"],
    ["제", "\u{1112}", "\u{1161}", "\u{11ab}", "하", "🙂", "\u{fe0f}", "\u{200d}", "🇳", "🇴", "©"],
    ["o", "O", "ß", "SS", "ı", "I", "i", "İ", "ø", "Å", "\u{212b}", "A\u{30a}", "1", "２"],
  ]

  private func text(_ most: Int, using random: inout SeededGenerator) -> String {
    let alphabet = Self.alphabets.randomElement(using: &random) ?? []
    return (0..<Int.random(in: 0...most, using: &random))
      .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
  }

  @Test("Every search and comparison selects the same objects in SQL as in memory.")
  func predicates() throws {
    var random = SeededGenerator(for: "StringSearchTests.predicates")
    let store = try PredicateStore()
    var parts = ["", "a", "K", "é", "e\u{301}", "中"]
    for _ in 0..<120 {
      let name = text(6, using: &random)
      let object = PIndexed(name: name)
      object.note = Bool.random(using: &random) ? nil : name
      store.context.insert(object)
      let item = PItem(number: 0)
      item.name = name
      store.context.insert(item)
      let start = Int.random(in: 0...name.unicodeScalars.count, using: &random)
      let scalars = name.unicodeScalars.dropFirst(start).prefix(2)
      parts.append(Bool.random(using: &random) ? String(scalars) : text(2, using: &random))
    }
    try store.context.save()
    for part in parts {
      try store.expectSame(#Predicate<PItem> { $0.name.contains(part) })
      try store.expectSame(#Predicate<PItem> { $0.name.starts(with: part) })
      try store.expectSame(#Predicate<PItem> { $0.name.localizedStandardContains(part) })
      try store.expectSame(#Predicate<PItem> { $0.name < part })
      try store.expectSame(#Predicate<PItem> { $0.name >= part })
      try store.expectSame(#Predicate<PIndexed> { $0.name.starts(with: part) })
      try store.expectSame(#Predicate<PIndexed> { !$0.name.starts(with: part) })
      try store.expectSame(#Predicate<PIndexed> { $0.note?.starts(with: part) ?? true })
      try store.expectSame(#Predicate<PIndexed> { $0.name == part })
      try store.expectSame(#Predicate<PIndexed> { $0.note != part })
    }
  }

  // Predicates search for characters. Foundation's function for strings gives other results.
  private func hasCharacters<Text: Collection>(_ part: Text, in text: Text) -> Bool
  where Text.Element: Equatable { text.contains(part) }

  @Test("Bytes that are not UTF-8 are searched as the string that is read from them.")
  func invalidBytes() {
    var random = SeededGenerator(for: "StringSearchTests.invalidBytes")
    let bytes: [UInt8] = [
      0x61, 0x62, 0x4b, 0x0d, 0x0a, 0, 0xc3, 0xa9, 0xcc, 0x81, 0xe4, 0xb8, 0xad, 0xe2, 0x84, 0xaa,
      0x80, 0xc0, 0xed, 0xa0, 0xef, 0xbf, 0xbd, 0xf0, 0xff,
    ]
    func some(_ most: Int) -> [UInt8] {
      (0..<Int.random(in: 0...most, using: &random)).compactMap { _ in
        bytes.randomElement(using: &random)
      }
    }
    var differences: [String] = []
    for _ in 0..<20_000 {
      let text = some(8)
      let start = Int.random(in: 0...text.count, using: &random)
      // A predicate's own text is always valid.
      let part = String(
        decoding: Bool.random(using: &random) ? some(3) : Array(text[start...].prefix(3)),
        as: UTF8.self
      )
      let string = String(decoding: text, as: UTF8.self)
      text.withUnsafeBytes { text in
        Array(part.utf8).withUnsafeBytes { bytes in
          let order: Int32 = string == part ? 0 : string < part ? -1 : 1
          if StringFunctions.contains(text, bytes) != hasCharacters(part, in: string)
            || StringFunctions.starts(text, bytes) != string.starts(with: part)
            || StringOrder.compare(text, bytes) != order
          {
            differences.append("\(Array(text)) \(Array(bytes))")
          }
        }
      }
    }
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(5))")
  }

  @Test("A search for the beginning of an indexed string uses the index.")
  func ranges() throws {
    let store = try PredicateStore()
    let range = #""name" >= ? AND t0."name" < ? AND "#
    for (text, isRange) in [
      ("Book", true), ("M\u{fc}ller", true), ("Mu\u{308}", true), ("u\u{308}", false),
      ("K", false), ("BoK", true), ("", false), ("\u{7f}", false), ("é", false),
    ] {
      let starts = try store.translation(#Predicate<PIndexed> { $0.name.starts(with: text) })
      #expect(starts.text.contains(range) == isRange, "\(text)")
      let other = try store.translation(#Predicate<PItem> { $0.name.starts(with: text) })
      #expect(!other.text.contains(range), "no index")
    }
  }
}
