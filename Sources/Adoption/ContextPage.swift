/// Reads the clock from a page of the write-ahead log; nil if the page is not a page of the context
/// table.
///
/// The context table has one row, which begins with its id and the clock.
///
/// The clock is before the texts of the row, so the page contains it even if a text continues on
/// another page.
package func clock(inContextPage page: UnsafeRawBufferPointer) -> Int64? {
  // A page of the context table is a leaf page of a table B-tree, and has one row.
  guard page.count >= 512, page[0] == 0x0d, page[3] == 0, page[4] == 1 else { return nil }
  var reader = RecordReader(page: page, index: Int(page[8]) << 8 | Int(page[9]))
  // A row begins with its size, its id, the size of its header, and the type of the column `id`.
  guard reader.number() != nil, reader.number() != nil else { return nil }
  let start = reader.index
  guard let header = reader.number(), reader.number() == 0, let type = reader.number(),
    header >= 3, header < page.count
  else { return nil }
  reader.index = start + Int(header)
  return reader.integer(type: type)
}

private struct RecordReader {
  let page: UnsafeRawBufferPointer
  var index: Int

  /// Reads a number of one to nine bytes in SQLite's form: each of the first eight bytes has seven
  /// bits of the number, and the ninth has eight.
  mutating func number() -> UInt64? {
    var result: UInt64 = 0
    for place in 0..<9 {
      guard index < page.count else { return nil }
      let byte = page[index]
      index += 1
      if place == 8 { return result << 8 | UInt64(byte) }
      result = result << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return result }
    }
    return result
  }

  /// Reads an integer of the size that SQLite's serial type gives; nil if the type is not an
  /// integer.
  func integer(type: UInt64) -> Int64? {
    let size: Int
    switch type {
    case 1...4: size = Int(type)
    case 5: size = 6
    case 6: size = 8
    case 8: return 0
    case 9: return 1
    default: return nil
    }
    guard index + size <= page.count else { return nil }
    let isNegative = page[index] >= 0x80
    return page[index..<index + size].reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
}
