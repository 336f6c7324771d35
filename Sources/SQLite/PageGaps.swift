import CSQLite

/// The unused bytes inside pages, which SQLite does not overwrite.
///
/// If rows move to another page, their bytes remain in the old page, even with `secure_delete`. The
/// bytes are between the page's list of cells and the first cell. No statement reads these bytes,
/// and the file format gives them no meaning, so they are overwritten in the file itself.
struct PageGaps {
  /// The largest number of pages.
  ///
  /// At the beginning of an overflow or free page, a higher page number could look like the start
  /// of a page of rows.
  private static let largestCount: Int64 = 0x0200_0000

  let connection: Connection
  let file: UnsafeMutablePointer<sqlite3_file>
  let size: Int64
  let pageSize: Int
  /// The number of bytes in a page that are not reserved for extensions.
  let usable: Int
  let hasPointerMap: Bool

  /// Reads the header of a file; nil if the file has no pages, or too many pages.
  init?(
    _ connection: Connection,
    file: UnsafeMutablePointer<sqlite3_file>,
    size: Int64
  ) throws {
    var header = [UInt8](repeating: 0, count: 100)
    guard size >= 512 else { return nil }
    try connection.checkFile(travelog_sqlite_file_read(file, &header, 100, 0))
    let stated = Int(header[16]) << 8 | Int(header[17])
    pageSize = stated == 1 ? 65_536 : stated
    guard pageSize >= 512, pageSize.nonzeroBitCount == 1,
      size / Int64(pageSize) < Self.largestCount
    else { return nil }
    usable = pageSize - Int(header[20])
    hasPointerMap = header[52..<56].contains { $0 != 0 }
    self.connection = connection
    self.file = file
    self.size = size
  }

  /// Clears the gaps of some pages, or of all pages.
  ///
  /// The result is the number of pages that were read, and whether gaps were found.
  func run(_ pages: Set<UInt32>?) throws -> (read: Int64, hasWritten: Bool) {
    let last = size / Int64(pageSize)
    var result: (read: Int64, hasWritten: Bool) = (0, false)
    var runs = pages.map { $0.sorted().map { Int64($0)...Int64($0) } } ?? []
    if pages == nil, last > 0 {
      runs = stride(from: 1, through: last, by: 256).map { $0...min($0 + 255, last) }
    }
    for run in runs where run.lowerBound > 0 && run.upperBound <= last {
      result.read += Int64(run.count)
      if try clear(run) { result.hasWritten = true }
    }
    if result.hasWritten { try connection.checkFile(travelog_sqlite_file_sync(file)) }
    return result
  }

  /// Clears the gaps of adjacent pages, and returns whether gaps were found.
  private func clear(_ pages: ClosedRange<Int64>) throws -> Bool {
    let count = pages.count * pageSize
    let offset = (pages.lowerBound - 1) * Int64(pageSize)
    let zeros = [UInt8](repeating: 0, count: pageSize)
    var hasWritten = false
    var buffer = [UInt8](repeating: 0, count: count)
    try connection.checkFile(
      travelog_sqlite_file_read(file, &buffer, Int32(truncatingIfNeeded: count), offset)
    )
    for start in stride(from: 0, to: count, by: pageSize) {
      let page = pages.lowerBound + Int64(start / pageSize)
      guard !isOther(page), let gap = gap(of: buffer[start..<start + pageSize], page: page) else {
        continue
      }
      try connection.checkFile(
        travelog_sqlite_file_write(
          file,
          zeros,
          Int32(truncatingIfNeeded: gap.count),
          offset + Int64(start + gap.lowerBound)
        )
      )
      hasWritten = true
    }
    return hasWritten
  }

  /// Whether a page is the page for locks, or a page that maps other pages to their parents.
  private func isOther(_ page: Int64) -> Bool {
    let locked = 0x4000_0000 / Int64(pageSize) + 1
    if page == locked { return true }
    guard hasPointerMap, page > 1 else { return false }
    let step = Int64(usable / 5 + 1)
    let map = (page - 2) / step * step + 2
    return page == (map == locked ? map + 1 : map)
  }

  /// The range of unused bytes in a page, between the list of cells and the contents of the cells;
  /// nil if all of these bytes are zero, or if the page does not contain cells.
  private func gap(of bytes: ArraySlice<UInt8>, page: Int64) -> Range<Int>? {
    let start = bytes.startIndex
    func number(_ offset: Int) -> Int {
      Int(bytes[start + offset]) << 8 | Int(bytes[start + offset + 1])
    }
    let header = page == 1 ? 100 : 0
    let size: Int
    switch bytes[start + header] {
    case 2, 5: size = 12
    case 10, 13: size = 8
    // An overflow page or a free page begins with a page number, whose first byte is a smaller
    // number.
    default: return nil
    }
    let first = header + size + 2 * number(header + 3)
    let stated = number(header + 5)
    let last = stated == 0 ? 65_536 : stated
    guard first < last, last <= usable,
      bytes[(start + first)..<(start + last)].contains(where: { $0 != 0 })
    else { return nil }
    return first..<last
  }
}

extension Connection {
  func checkFile(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }
}
