import FoundationEssentials
import SQLite

/// Some of the columns and lists of links of an entity, as bits.
struct ColumnSet: Hashable {
  /// The first 64 places; most entities have no more.
  private var first: UInt64
  private var rest: [UInt64]

  init(count: Int, isFull: Bool = false) {
    let all: UInt64 = isFull ? .max : 0
    first = count < 64 ? all & (1 << UInt64(count) - 1) : all
    rest = count <= 64 ? [] : Array(repeating: all, count: (count - 1) / 64)
  }

  /// The set in a column of a temporary table.
  init(at column: Int32, of statement: Statement) {
    guard statement.type(at: column) == .blob else {
      first = UInt64(bitPattern: statement.int64(at: column))
      rest = []
      return
    }
    let words = statement.bytes(at: column)
    first = words.loadUnaligned(as: UInt64.self)
    rest = stride(from: 8, to: words.count, by: 8).map {
      words.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
    }
  }

  func bind(_ parameter: Int32, of statement: Statement) throws {
    guard !rest.isEmpty else { return try statement.bind(parameter, Int64(bitPattern: first)) }
    try ([first] + rest).withUnsafeBytes { try statement.bind(parameter, blob: $0) }
  }

  var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

  func contains(_ place: Int) -> Bool {
    let word = place < 64 ? first : place / 64 <= rest.count ? rest[place / 64 - 1] : 0
    return word & 1 << UInt64(place % 64) != 0
  }

  mutating func insert(_ place: Int) {
    let bit: UInt64 = 1 << UInt64(place % 64)
    if place < 64 { first |= bit } else { rest[place / 64 - 1] |= bit }
  }

  mutating func remove(_ place: Int) {
    let bit: UInt64 = 1 << UInt64(place % 64)
    if place < 64 { first &= ~bit } else { rest[place / 64 - 1] &= ~bit }
  }

  mutating func formUnion(_ other: ColumnSet) {
    first |= other.first
    for place in rest.indices where place < other.rest.count { rest[place] |= other.rest[place] }
  }

  func union(_ other: ColumnSet) -> ColumnSet {
    var result = self
    result.formUnion(other)
    return result
  }

  func subtracting(_ other: ColumnSet) -> ColumnSet {
    var result = self
    result.first &= ~other.first
    for place in rest.indices where place < other.rest.count {
      result.rest[place] &= ~other.rest[place]
    }
    return result
  }
}
