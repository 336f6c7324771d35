import CSQLite

/// The room inside pages that SQLite uses for nothing, and leaves as it was.
///
/// Where rows move from one page to another, the old page keeps their bytes between the list of its
/// cells and the first of them, also with `secure_delete`. No statement reaches them, and SQLite reads
/// them never, so that they are overwritten in the file itself: by the format of the file no byte that
/// means anything lies there.
extension Connection {
  /// Overwrites what lies between the parts of pages with zeros.
  ///
  /// The whole file is read for it, while nobody else writes.
  ///
  /// - Returns: False where the write-ahead log is not empty, which has newer pages.
  /// - Throws: ``SQLiteError/busy`` where somebody else writes.
  public func clearPageGaps() throws -> Bool {
    guard let file = travelog_sqlite_file(database), let log = travelog_sqlite_log_file(database)
    else { return false }
    try execute("BEGIN IMMEDIATE")
    defer {
      // Nothing was changed by a statement. The pages in memory are as the file was, and are not to
      // be written to it again.
      try? execute("ROLLBACK")
      sqlite3_db_release_memory(database)
    }
    // While we may write and the log is empty, nobody changes a page of the file.
    var size: sqlite3_int64 = 0
    try checkFile(travelog_sqlite_file_size(log, &size))
    guard size == 0 else { return false }
    try checkFile(travelog_sqlite_file_size(file, &size))
    return try PageScan(self, file, size)?.run() ?? false
  }

  fileprivate func checkFile(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }
}

/// One way through all pages of a file.
private struct PageScan {
  /// Pages beyond this have numbers that may look like a page of rows, at the beginning of others.
  private static let largestCount: Int64 = 0x0200_0000

  let connection: Connection
  let file: UnsafeMutablePointer<sqlite3_file>
  let size: Int64
  let pageSize: Int
  /// The bytes of a page that are not reserved for extensions.
  let usable: Int
  let hasPointerMap: Bool

  /// Nil where the file has no pages, or too many.
  init?(
    _ connection: Connection,
    _ file: UnsafeMutablePointer<sqlite3_file>,
    _ size: Int64
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

  /// Clears the gaps of all pages; true when that is done.
  func run() throws -> Bool {
    let room = 256 * pageSize
    var buffer = [UInt8](repeating: 0, count: room)
    let zeros = [UInt8](repeating: 0, count: pageSize)
    var hasWritten = false
    var offset: Int64 = 0
    while offset + Int64(pageSize) <= size {
      let count = Int(min(Int64(room), size - offset)) / pageSize * pageSize
      try connection.checkFile(
        travelog_sqlite_file_read(file, &buffer, Int32(truncatingIfNeeded: count), offset)
      )
      for start in stride(from: 0, to: count, by: pageSize) {
        let page = (offset + Int64(start)) / Int64(pageSize) + 1
        guard !isOther(page), let gap = gap(of: buffer[start..<start + pageSize], page) else {
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
      offset += Int64(count)
    }
    if hasWritten { try connection.checkFile(travelog_sqlite_file_sync(file)) }
    return true
  }

  /// True for the page that locks are taken in, and for those that tell where pages belong.
  private func isOther(_ page: Int64) -> Bool {
    let locked = 0x4000_0000 / Int64(pageSize) + 1
    if page == locked { return true }
    guard hasPointerMap, page > 1 else { return false }
    let step = Int64(usable / 5 + 1)
    let map = (page - 2) / step * step + 2
    return page == (map == locked ? map + 1 : map)
  }

  /// Where a page of cells has bytes that are not zero between the list of its cells and their
  /// contents; nil where there are none, or it is another page.
  private func gap(of bytes: ArraySlice<UInt8>, _ page: Int64) -> Range<Int>? {
    let start = bytes.startIndex
    func number(_ offset: Int) -> Int {
      Int(bytes[start + offset]) << 8 | Int(bytes[start + offset + 1])
    }
    let header = page == 1 ? 100 : 0
    let size: Int
    switch bytes[start + header] {
    case 2, 5: size = 12
    case 10, 13: size = 8
    // An overflow or free page begins with the number of another, whose first byte is smaller.
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
