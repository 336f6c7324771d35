import Format
import Foundation
import Store
import Testing

@testable import SwiftData

@Suite("Texts of Codable values")
struct CompositeCoderTests {
  /// The stored value that the coder makes of a value of any type.
  private func coded<T: Codable>(_ value: T) throws -> Value {
    .text(try CompositeCoder.encode(value))
  }

  @Test("The fast and the general encoder write the same text for lists.")
  func lists() throws {
    let characters = (0..<0x300).compactMap(Unicode.Scalar.init).map { String(Character($0)) }
    let texts = [
      [], [""], ["passport", "rain coat"], characters, [characters.joined()],
      ["\u{2028}\u{2029}", "早め", "👨‍👩‍👧", "e\u{301}", "</script>", "a\\\"b", "\u{7f}"],
    ]
    let codec = try #require(AttributeCodec.of([String].self))
    for list in texts {
      #expect(try codec.encode(list) == coded(list))
      #expect(try codec.decode(codec.encode(list)) as? [String] == list)
    }
    let numbers = try #require(AttributeCodec.of([Int]?.self))
    for list in [nil, [], [1], [.min, .max, 0]] as [[Int]?] {
      #expect(try numbers.encode(list as Any) == (list.map { try coded($0) } ?? .null))
      #expect(try numbers.decode(numbers.encode(list as Any)) as? [Int] == list)
    }
    let links = try #require(AttributeCodec.of([URL].self))
    let urls = ["https://example.org/a/b?c=ü", "file:///tmp"].compactMap(URL.init)
    #expect(try links.encode([URL]()) == .text("[]"))
    #expect(try links.encode(urls) == coded(urls))
    #expect(try links.decode(.text("[]")) as? [URL] == [])
    let lists = try #require(AttributeCodec.of([[String]].self))
    #expect(try lists.encode([[], ["a"]]) == coded([[], ["a"]]))
  }

  @Test("A list with blanks is read, and a value that is not a list is refused.")
  func foreign() throws {
    let codec = try #require(AttributeCodec.of([String].self))
    #expect(try codec.decode(.text(" [ \"a\" ] ")) as? [String] == ["a"])
    #expect(try codec.decode(.text("[ ]")) as? [String] == [])
    for stored in [.text("{}"), .text(""), .text("[1]"), .null, .blob(Data("[]".utf8))] as [Value] {
      #expect(throws: (any Error).self) { try codec.decode(stored) }
    }
    #expect(throws: (any Error).self) { try codec.encode(["a": 1]) }
  }
}
