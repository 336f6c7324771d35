import Format
import Glibc

/// The values of one column of a batch, in the layout of Apache Arrow.
protocol ArrowColumn: AnyObject {
  /// The number and the description of the column's type in an Arrow schema.
  var type: (number: UInt8, description: [FlatValue?]) { get }
  /// The columns inside this column, with their names, and whether their values can be null.
  var children: [(name: String, isNullable: Bool, column: any ArrowColumn)] { get }
  var count: Int { get }
  var nulls: Int { get }
  func appendNull()
  func removeAll()
  /// Calls `body` with the buffers of the column, without those of the columns inside it.
  func withBuffers(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows
}

extension ArrowColumn {
  var children: [(name: String, isNullable: Bool, column: any ArrowColumn)] { [] }
}

/// Which values of a column are not null: a bit for each value.
struct ArrowValidity {
  /// The bits up to the last null; most columns have no null, or no other value.
  private var bits: [UInt8] = []
  private(set) var count = 0
  private(set) var nulls = 0

  @inline(__always)
  mutating func appendValue() { count += 1 }

  mutating func appendNull() {
    fill()
    bits[count >> 3] &= ~(1 << UInt8(count & 7))
    nulls += 1
    count += 1
  }

  /// Adds a bit for each value since the last null, and the bits of the byte after them.
  private mutating func fill() {
    while bits.count <= count >> 3 { bits.append(0xff) }
  }

  mutating func removeAll() {
    bits.removeAll(keepingCapacity: true)
    (count, nulls) = (0, 0)
  }

  /// Without nulls, the buffer is empty.
  mutating func withBuffer(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    if nulls == 0 { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    fill()
    try bits.withUnsafeBytes(body)
  }
}

final class ArrowTexts: ArrowColumn {
  @exclusivity(unchecked) private var validity = ArrowValidity()
  @exclusivity(unchecked) private var ends: [Int32] = [0]
  @exclusivity(unchecked) private var bytes: [UInt8] = []

  var type: (number: UInt8, description: [FlatValue?]) { (5, []) }
  var count: Int { validity.count }
  var nulls: Int { validity.nulls }

  func append(_ text: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: text)
    ends.append(Int32(truncatingIfNeeded: bytes.count))
    validity.appendValue()
  }

  func append(_ text: [UInt8]) { text.withUnsafeBytes { append($0) } }

  func appendNull() {
    ends.append(Int32(truncatingIfNeeded: bytes.count))
    validity.appendNull()
  }

  /// Appends the value of a JSON string as its characters, null as null, and any other value as it
  /// is spelled.
  func append(json: UnsafeRawBufferPointer) throws(Refusal) {
    guard json.count > 1, json[0] == 0x22, let start = json.baseAddress else {
      if isNull(json) { appendNull() } else { append(json) }
      return
    }
    let inner = UnsafeRawBufferPointer(start: start + 1, count: json.count - 2)
    guard memchr(start + 1, 0x5c, inner.count) != nil else { return append(inner) }
    let isRight = withUnsafeTemporaryAllocation(byteCount: inner.count, alignment: 1) { room in
      guard let text = unescapeCanonical(inner, in: room) else { return false }
      append(text)
      return true
    }
    guard isRight else { throw Refusal.text }
  }

  func removeAll() {
    validity.removeAll()
    ends.removeLast(ends.count - 1)
    bytes.removeAll(keepingCapacity: true)
  }

  func withBuffers(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try validity.withBuffer(body)
    try ends.withUnsafeBytes(body)
    try bytes.withUnsafeBytes(body)
  }
}

final class ArrowIntegers: ArrowColumn {
  @exclusivity(unchecked) private var validity = ArrowValidity()
  @exclusivity(unchecked) private var values: [Int64] = []

  var type: (number: UInt8, description: [FlatValue?]) { (2, [.int(64), .byte(1)]) }
  var count: Int { validity.count }
  var nulls: Int { validity.nulls }

  func append(_ value: Int64) {
    values.append(value)
    validity.appendValue()
  }

  func appendNull() {
    values.append(0)
    validity.appendNull()
  }

  func removeAll() {
    validity.removeAll()
    values.removeAll(keepingCapacity: true)
  }

  func withBuffers(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try validity.withBuffer(body)
    try values.withUnsafeBytes(body)
  }
}

/// A list of texts in each row.
final class ArrowLists: ArrowColumn {
  @exclusivity(unchecked) private var validity = ArrowValidity()
  @exclusivity(unchecked) private var ends: [Int32] = [0]
  let items = ArrowTexts()

  var type: (number: UInt8, description: [FlatValue?]) { (12, []) }
  var children: [(name: String, isNullable: Bool, column: any ArrowColumn)] {
    [("item", true, items)]
  }
  var count: Int { validity.count }
  var nulls: Int { validity.nulls }

  /// Ends the list of a row, whose items were appended.
  func close() {
    ends.append(Int32(items.count))
    validity.appendValue()
  }

  func appendNull() {
    ends.append(Int32(items.count))
    validity.appendNull()
  }

  func removeAll() {
    validity.removeAll()
    ends.removeLast(ends.count - 1)
    items.removeAll()
  }

  func withBuffers(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try validity.withBuffer(body)
    try ends.withUnsafeBytes(body)
  }
}

/// A map from texts to texts in each row.
final class ArrowMaps: ArrowColumn {
  @exclusivity(unchecked) private var validity = ArrowValidity()
  @exclusivity(unchecked) private var ends: [Int32] = [0]
  let entries = ArrowEntries()

  var type: (number: UInt8, description: [FlatValue?]) { (17, []) }
  var children: [(name: String, isNullable: Bool, column: any ArrowColumn)] {
    [("entries", false, entries)]
  }
  var count: Int { validity.count }
  var nulls: Int { validity.nulls }

  /// Ends the map of a row, whose entries were appended.
  func close() {
    ends.append(Int32(entries.count))
    validity.appendValue()
  }

  func appendNull() {
    ends.append(Int32(entries.count))
    validity.appendNull()
  }

  func removeAll() {
    validity.removeAll()
    ends.removeLast(ends.count - 1)
    entries.removeAll()
  }

  func withBuffers(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try validity.withBuffer(body)
    try ends.withUnsafeBytes(body)
  }
}

/// The entries of all maps of a column.
final class ArrowEntries: ArrowColumn {
  let keys = ArrowTexts()
  let values = ArrowTexts()

  var type: (number: UInt8, description: [FlatValue?]) { (13, []) }
  var children: [(name: String, isNullable: Bool, column: any ArrowColumn)] {
    [("key", false, keys), ("value", true, values)]
  }
  var count: Int { keys.count }
  var nulls: Int { 0 }
  func appendNull() { preconditionFailure("an entry is never null") }

  func removeAll() {
    keys.removeAll()
    values.removeAll()
  }

  func withBuffers(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

private func isNull(_ json: UnsafeRawBufferPointer) -> Bool {
  json.count == 4 && json[0] == 0x6e
}
