/// A value in a row, with the storage class that the file has.
///
/// SQLite converts some values when it reads them: an integer in a column with the affinity REAL is
/// a real. A column that is the row ID is null in the record. A record has no values for columns
/// that were added after it was written.
package enum StoredValue {
  case null
  case integer(Int64)
  case real(Double)
  /// The bytes of a text in the encoding of the database; they are valid until the next row.
  case text(UnsafeRawBufferPointer)
  /// The bytes of a blob, which are valid until the next row.
  case blob(UnsafeRawBufferPointer)
}

/// The type and the place of a value in a record.
package struct Field {
  /// The serial type, as in "Record Format" of the file format.
  package let type: UInt32
  /// The offset of the value in the payload.
  package let offset: Int

  package var isText: Bool { type >= 13 && type & 1 == 1 }
  package var isBlob: Bool { type >= 12 && type & 1 == 0 }

  /// The number of bytes of the value.
  package var count: Int {
    // The sizes of the types 0 to 7, in four bits each; the types 8 and 9 are the numbers 0 and 1.
    type < 12
      ? Int(truncatingIfNeeded: 0x8864_3210 >> (UInt64(type) * 4) & 0xf) : Int(type - 12) / 2
  }

  /// The value, whose bytes begin at an address and are all there.
  @inline(__always)
  func value(at start: UnsafeRawPointer) -> StoredValue {
    switch type {
    case 0: .null
    case 1: .integer(Int64(start.load(as: Int8.self)))
    case 2: .integer(Int64(Int16(truncatingIfNeeded: start.uint16(at: 0))))
    case 3:
      .integer(
        Int64(start.load(as: Int8.self)) << 16 | Int64(start.uint16(at: 1))
      )
    case 4: .integer(Int64(Int32(bitPattern: start.uint32(at: 0))))
    case 5:
      .integer(
        Int64(Int16(truncatingIfNeeded: start.uint16(at: 0))) << 32 | Int64(start.uint32(at: 2))
      )
    case 6: .integer(Int64(bitPattern: start.uint64(at: 0)))
    case 7: real(Double(bitPattern: start.uint64(at: 0)))
    case 8: .integer(0)
    case 9: .integer(1)
    default:
      isText
        ? .text(UnsafeRawBufferPointer(start: start, count: count))
        : .blob(UnsafeRawBufferPointer(start: start, count: count))
    }
  }

  /// SQLite never stores NaN, and reads it as null.
  private func real(_ number: Double) -> StoredValue { number.isNaN ? .null : .real(number) }
}

/// The header of a record, which has the types of its values.
struct RecordHeader {
  /// The largest number of bytes; SQLite refuses more, because a table has at most 32,767 columns.
  static let largestCount = 98_307

  private(set) var fields: [Field] = []

  /// The number of bytes of a record's header, which the first bytes of a payload say.
  static func count(of cell: Cell) throws(PageError) -> Int {
    guard let start = cell.local.baseAddress else { return 0 }
    let size = start.varint(at: 0, end: cell.local.count)
    guard size.next > 0, size.value <= min(largestCount, cell.payloadCount) else {
      throw .corrupt(page: cell.page, "the header of a record is larger than the record")
    }
    return Int(truncatingIfNeeded: size.value)
  }

  /// Reads the fields of a header, whose bytes are all there.
  mutating func read(_ start: UnsafeRawPointer, count: Int, of cell: Cell) throws(PageError) {
    fields.removeAll(keepingCapacity: true)
    // The first number is the size of the header.
    var place = start.varint(at: 0, end: count).next
    var offset = count
    while 0 < place, place < count {
      let type = start.varint(at: place, end: count)
      guard type.value <= UInt32.max, type.value != 10, type.value != 11, type.next > 0 else {
        throw .corrupt(page: cell.page, "a record has a value of an unknown type")
      }
      let field = Field(type: UInt32(truncatingIfNeeded: type.value), offset: offset)
      fields.append(field)
      offset += field.count
      place = type.next
    }
    // SQLite requires this too.
    guard place == count, offset == cell.payloadCount else {
      throw .corrupt(page: cell.page, "the values of a record do not have its size")
    }
  }
}
