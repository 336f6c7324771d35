import FoundationEssentials

/// Some of the columns and lists of links of an entity, as bits.
struct ColumnSet: Hashable {
  private(set) var bytes: [UInt8]

  init(count: Int, isFull: Bool = false) {
    bytes = [UInt8](repeating: isFull ? 0xff : 0, count: (count + 7) / 8)
  }

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Array(bytes) }

  var data: Data { Data(bytes) }
  var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }

  func contains(_ place: Int) -> Bool {
    place / 8 < bytes.count && bytes[place / 8] & 1 << UInt8(place % 8) != 0
  }

  mutating func insert(_ place: Int) { bytes[place / 8] |= 1 << UInt8(place % 8) }

  mutating func formUnion(_ other: ColumnSet) {
    for (place, byte) in other.bytes.enumerated() { bytes[place] |= byte }
  }

  func subtracting(_ other: ColumnSet) -> ColumnSet {
    var result = self
    for (place, byte) in other.bytes.enumerated() { result.bytes[place] &= ~byte }
    return result
  }
}
