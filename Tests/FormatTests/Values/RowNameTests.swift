import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("The name of a row of an adopted table")
struct RowNameTests {
  private func name(_ key: [Value], rowid: Int64? = 5) -> String? {
    RowName(key: key, rowid: rowid)?.description
  }

  private func read(_ text: String) -> RowName? {
    Array(text.utf8).withUnsafeBytes { RowName(canonical: $0) }
  }

  @Test("One integer is a number, other keys are arrays, and a key with NULL is a rowid.")
  func forms() {
    #expect(name([.integer(7)]) == "7")
    #expect(name([]) == "5")
    #expect(name([.text("a\"b"), .integer(7)]) == #"["text:a\"b","integer:7"]"#)
    #expect(name([.text("rowid:5")]) == #"["text:rowid:5"]"#)
    #expect(name([.text("a"), .null]) == #"["rowid:5"]"#)
    #expect(name([.text("a"), .null], rowid: nil) == nil)
  }

  @Test("The key is read from the name with the same bits, and the name is written as it was.")
  func roundTrip() throws {
    var generator = SeededGenerator(for: "rowNames")
    for _ in 0..<trials(20_000, long: 1_000_000) {
      let key = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        randomValue(using: &generator)
      }
      let name = try #require(RowName(key: key, rowid: -3))
      #expect(read(name.description) == name)
      switch try #require(name.identity) {
      case .integer(let number): #expect(key == [.integer(number)])
      case .rowid(let number):
        #expect(number == -3)
        #expect(key.contains(.null))
      case .key(let parts):
        #expect(parts.count == key.count)
        #expect(zip(parts, key).allSatisfy { $0.isSame(as: $1) }, "\(key) became \(parts)")
      }
    }
  }

  @Test("Two spellings of one character are different keys.")
  func unicode() {
    let composed = RowName(key: [.text("\u{e9}")], rowid: nil)
    #expect(composed != RowName(key: [.text("e\u{301}")], rowid: nil))
  }

  @Test(
    "A text that is not the canonical name of a row is refused.",
    arguments: [
      "", "[]", "07", #"["integer:7"]"#, #"["text:a","null"]"#, #"["text:a",]"#, #"["text:a" ]"#,
      #"["text:a""#, #"["text:a"]]"#, #"["rowid:"]"#, #"["rowid:05"]"#, #"["rowid:5","text:a"]"#,
      #"["text:a";"text:b"]"#,
      #"["text:\u0061"]"#, #"["text:a\"]"#, #"[7]"#, #"["a"]"#,
    ]
  )
  func refusals(text: String) {
    #expect(read(text) == nil)
  }
}
