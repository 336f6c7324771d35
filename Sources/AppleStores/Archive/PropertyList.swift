import Format

/// A binary property list, of which only the entries that are asked for are read.
///
/// The list can come from an unknown person: entries can refer to each other in cycles, and one entry
/// can occur any number of times. So nothing here follows a reference, except ``tree(_:)``, which
/// counts what it reads.
package struct PropertyList: Sendable {
  package enum Node: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001.
    case date(Double)
    case data(Range<Int>)
    case ascii(Range<Int>)
    /// A text in UTF-16 with the high byte first.
    case utf16(Range<Int>)
    /// A reference of a keyed archive to one of its objects.
    case object(Int)
    case array(References)
    case dictionary(keys: References, values: References)
  }

  /// A range of references to entries.
  package struct References: Hashable, Sendable {
    let start: Int
    package let count: Int
  }

  /// The largest list that is read.
  package static let limit = 64 << 20

  let bytes: [UInt8]
  /// What the list is, in messages.
  let name: String
  /// The number of entries.
  package let count: Int
  /// The entry that contains all others.
  package let top: Int
  private let offsetSize: Int
  private let referenceSize: Int
  /// Where the table with the offsets of the entries begins; entries end there.
  private let end: Int

  package init(_ bytes: [UInt8], name: String) throws(StoreError) {
    self.bytes = bytes
    self.name = name
    guard bytes.count <= Self.limit else { throw tooLarge(name) }
    guard bytes.count >= 8 + 32, bytes.starts(with: "bplist0".utf8) else {
      throw damaged(name, "it is not a binary property list")
    }
    let trailer = bytes.count - 32
    func number(_ offset: Int) -> UInt64 {
      bytes[trailer + offset..<trailer + offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
      let count = Int(exactly: number(8)), let top = Int(exactly: number(16)),
      let end = Int(exactly: number(24)),
      8...trailer ~= end, top < count, count <= (trailer - end) / offsetSize
    else { throw damaged(name, "its trailer does not fit its bytes") }
    (self.count, self.top, self.end) = (count, top, end)
  }

  /// The entry with a number.
  package func node(_ index: Int) throws(StoreError) -> Node {
    guard 0..<count ~= index,
      let start = unsigned(at: end + index * offsetSize, size: offsetSize, end: bytes.count - 32),
      8..<end ~= start
    else { throw damaged(name, "an entry is outside of it") }
    let (kind, low) = (bytes[start] >> 4, Int(bytes[start] & 15))
    switch kind {
    case 0: return try simple(low)
    case 1: return .integer(try integer(at: start + 1, size: 1 << low))
    case 2: return .real(try real(at: start + 1, size: 1 << low))
    case 3 where low == 3: return .date(try real(at: start + 1, size: 8))
    case 8:
      guard let number = unsigned(at: start + 1, size: low + 1, end: end) else {
        throw damaged(name, "a reference to an object is outside of it")
      }
      return .object(number)
    default: break
    }
    let (first, count) = try extent(at: start + 1, low: low)
    func range(_ size: Int) throws(StoreError) -> Range<Int> {
      guard count <= (end - first) / size else {
        throw damaged(name, "an entry ends outside of it")
      }
      return first..<first + count * size
    }
    switch kind {
    case 4: return .data(try range(1))
    case 5: return .ascii(try range(1))
    case 6: return .utf16(try range(2))
    case 10, 11, 12:
      _ = try range(referenceSize)
      return .array(References(start: first, count: count))
    case 13:
      _ = try range(2 * referenceSize)
      return .dictionary(
        keys: References(start: first, count: count),
        values: References(start: first + count * referenceSize, count: count)
      )
    default: throw damaged(name, "an entry has the unknown kind \(kind)")
    }
  }

  /// The number of the entry to which a reference refers.
  package func entry(_ position: Int, of references: References) throws(StoreError) -> Int {
    guard 0..<references.count ~= position,
      let entry = unsigned(
        at: references.start + position * referenceSize,
        size: referenceSize,
        end: end
      ),
      entry < count
    else { throw damaged(name, "a reference is outside of it") }
    return entry
  }

  /// The text of an entry; nil if the entry is not a text.
  package func text(_ node: Node) -> String? {
    switch node {
    case .ascii(let range): String(decoding: bytes[range], as: UTF8.self)
    case .utf16(let range):
      String(
        decoding: stride(from: range.lowerBound, to: range.upperBound, by: 2).lazy.map {
          UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        },
        as: UTF16.self
      )
    default: nil
    }
  }

  /// Whether an entry is a text of these ASCII characters; the text is not copied.
  func isText(_ node: Node, _ text: StaticString) -> Bool {
    guard case .ascii(let range) = node, range.count == text.utf8CodeUnitCount else { return false }
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: range.count)
    return bytes.withUnsafeBufferPointer {
      UnsafeBufferPointer(rebasing: $0[range]).elementsEqual(wanted)
    }
  }

  // MARK: Parts of entries

  private func simple(_ low: Int) throws(StoreError) -> Node {
    switch low {
    case 0: return .null
    case 8: return .bool(false)
    case 9: return .bool(true)
    default: throw damaged(name, "an entry has the unknown value \(low)")
    }
  }

  private func unsigned(at offset: Int, size: Int, end: Int) -> Int? {
    guard offset >= 0, offset <= end - size else { return nil }
    var result: UInt64 = 0
    for byte in bytes[offset..<offset + size] {
      guard result >> 56 == 0 else { return nil }
      result = result << 8 | UInt64(byte)
    }
    return Int(exactly: result)
  }

  private func integer(at offset: Int, size: Int) throws(StoreError) -> Int64 {
    guard size <= 16, offset <= end - size else {
      throw damaged(name, "an integer ends outside of it")
    }
    // Integers of one, two and four bytes have no sign; those of sixteen bytes do.
    var result: Int64 = size >= 8 && bytes[offset] > 127 ? -1 : 0
    let skipped = max(0, size - 8)
    guard bytes[offset..<offset + skipped].allSatisfy({ $0 == UInt8(truncatingIfNeeded: result) })
    else { throw damaged(name, "an integer has more than 64 bits") }
    for byte in bytes[offset + skipped..<offset + size] { result = result << 8 | Int64(byte) }
    return result
  }

  private func real(at offset: Int, size: Int) throws(StoreError) -> Double {
    guard size == 4 || size == 8, offset <= end - size else {
      throw damaged(name, "a number ends outside of it")
    }
    let pattern = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 8
      ? Double(bitPattern: pattern)
      : Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern)))
  }

  /// Where the content of an entry begins, and how many elements it has.
  private func extent(at offset: Int, low: Int) throws(StoreError) -> (first: Int, count: Int) {
    guard low == 15 else { return (offset, low) }
    guard offset < end, bytes[offset] >> 4 == 1 else {
      throw damaged(name, "the size of an entry is missing")
    }
    let size = 1 << Int(bytes[offset] & 15)
    let count = try integer(at: offset + 1, size: size)
    let first = offset + 1 + size
    guard 0...Int64(end) ~= count, first <= end else {
      throw damaged(name, "an entry ends outside of it")
    }
    return (first, Int(count))
  }
}
