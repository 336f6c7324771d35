import AppleFiles
import AppleStores
import Foundation
import TestSupport
import Testing

@Suite("Binary property lists")
struct PropertyListTests {
  /// The tree that a reader must find in a property list.
  private func expected(_ value: Plist) -> PropertyValue {
    switch value {
    case .null, .entry: .null
    case .bool(let isTrue): .bool(isTrue)
    case .integer(let number): .integer(number)
    case .uid(let number): .integer(Int64(number))
    case .real(let number): .real(number)
    case .date(let number): .date(number)
    case .data(let bytes): .data(bytes)
    case .text(let text): .text(text)
    case .array(let elements): .array(elements.map(expected))
    case .dictionary(let members):
      .dictionary(Dictionary(uniqueKeysWithValues: members.map { ($0.0, expected($0.1)) }))
    }
  }

  private func random(_ depth: Int, _ random: inout SeededGenerator) -> Plist {
    switch Int.random(in: depth < 4 ? 0...9 : 0...6, using: &random) {
    case 0: return .bool(Bool.random(using: &random))
    case 1: return .integer(Int64.random(in: .min ... .max, using: &random) >> 40)
    case 2: return .integer(Int64.random(in: .min ... .max, using: &random))
    case 3: return .real(Double.random(in: -1e9...1e9, using: &random))
    case 4: return .date(Double.random(in: -1e9...1e9, using: &random).rounded())
    case 5:
      let count = Int.random(in: 0...40, using: &random)
      return .data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    case 6:
      let letters = ["a", "é", "😀", "z", " "]
      let count = Int.random(in: 0...20, using: &random)
      return .text((0..<count).map { _ in letters.randomElement(using: &random) ?? "" }.joined())
    case 7, 8:
      let count = Int.random(in: 0...20, using: &random)
      return .array((0..<count).map { _ in self.random(depth + 1, &random) })
    default:
      let count = Int.random(in: 0...20, using: &random)
      return .dictionary((0..<count).map { ("key \($0)", self.random(depth + 1, &random)) })
    }
  }

  @Test("Each value is read as it was written.")
  func values() throws {
    var random = SeededGenerator(for: "property lists")
    for _ in 0..<trials(100, long: 3000) {
      let value = self.random(0, &random)
      #expect(try PropertyList(value.bytes, name: "List").tree() == expected(value))
    }
  }

  @Test("Lists that Foundation wrote have the same values.")
  func foundation() throws {
    let value: [String: Any] = [
      "text": "straße", "number": -7, "large": Int64.max, "real": 1.5, "yes": true,
      "date": Date(timeIntervalSinceReferenceDate: 12), "data": Data([1, 2]),
      "list": [1, 300, 70_000, 5_000_000_000], "empty": [Int](),
    ]
    let data = try PropertyListSerialization.data(
      fromPropertyList: value,
      format: .binary,
      options: 0
    )
    let tree = try PropertyList(Array(data), name: "List").tree()
    #expect(tree["text"] == .text("straße"))
    #expect(tree["number"] == .integer(-7))
    #expect(tree["large"] == .integer(.max))
    #expect(tree["real"] == .real(1.5))
    #expect(tree["yes"] == .bool(true))
    #expect(tree["date"] == .date(12))
    #expect(tree["data"] == .data([1, 2]))
    #expect(tree["list"] == .array([1, 300, 70_000, 5_000_000_000].map { .integer($0) }))
    #expect(tree["empty"] == .array([]))
  }

  @Test("A list that contains itself is refused.")
  func cycle() throws {
    let bytes = Plist.array([.integer(1), .array([.entry(0)])]).bytes
    #expect(throws: (any Error).self) { try PropertyList(bytes, name: "List").tree() }
  }

  @Test("A small list of a milliard entries is refused before it fills the memory.")
  func references() throws {
    // Each of ten lists contains the next one ten times.
    var value = Plist.array([.text("end")])
    for level in (0..<9).reversed() {
      value = .array([value] + (0..<9).map { _ in .entry(level + 1) })
    }
    let bytes = value.bytes
    #expect(bytes.count < 1000)
    #expect(throws: (any Error).self) { try PropertyList(bytes, name: "List").tree() }
  }

  @Test("A cut or changed list is read or refused.")
  func damage() throws {
    var random = SeededGenerator(for: "damaged property lists")
    let bytes = Plist.dictionary([
      ("a", .array([.integer(1), .text("ü"), .real(2), .date(3), .data([4])])), ("b", .uid(7)),
      ("c", .dictionary([("d", .null), ("e", .bool(true))])),
    ]).bytes
    for count in bytes.indices {
      #expect(throws: (any Error).self) {
        try PropertyList(Array(bytes[..<count]), name: "List").tree()
      }
      var changed = bytes
      changed[count] = UInt8.random(in: 0...255, using: &random)
      // Some changes only change a value.
      _ = try? PropertyList(changed, name: "List").tree()
      for bit in 0..<8 {
        changed = bytes
        changed[count] ^= 1 << UInt8(bit)
        _ = try? PropertyList(changed, name: "List").tree()
      }
    }
  }
}
