/// The sizes of pages, and what follows from them.
package struct PageLayout: Hashable, Sendable {
  /// The size of a page, a power of two from 512 to 65,536.
  package let pageSize: Int
  /// The number of bytes that SQLite uses; extensions use the rest at the end of a page.
  package let usable: Int
}

extension PageLayout {
  /// The layout of a database without pages, for which SQLite uses its default.
  static let empty = PageLayout(pageSize: 4096, usable: 4096)

  init?(pageSize: Int, reserved: Int) {
    // SQLite refuses pages with less than 480 usable bytes.
    guard Self.isPageSize(pageSize), pageSize - reserved >= 480 else { return nil }
    self.pageSize = pageSize
    usable = pageSize - reserved
  }

  /// Reads the sizes from a database header; nil if they are impossible.
  init?(header: [UInt8]) {
    // 65,536 does not fit in two bytes, so the header says 1.
    let stated = Int(header[16]) << 8 | Int(header[17])
    self.init(pageSize: stated == 1 ? 65_536 : stated, reserved: Int(header[20]))
  }

  static func isPageSize(_ size: Int) -> Bool {
    512...65_536 ~= size && size.nonzeroBitCount == 1
  }

  /// The page with the bytes that are locked on Windows, which SQLite never uses.
  package var lockBytePage: UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }

  /// The number of bytes of a payload in an overflow page; the first four bytes are the next page.
  var overflowRoom: Int { usable - 4 }

  /// The number of bytes of a payload in a cell; the other bytes are in overflow pages.
  ///
  /// The formulas are in "B-tree Pages" of the file format. They leave room for at least four cells
  /// in a page of an index.
  @inline(__always)
  func localCount(of payload: Int, inTable: Bool) -> Int {
    let largest = inTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
    if payload <= largest { return payload }
    let smallest = (usable - 12) * 32 / 255 - 23
    let even = smallest + (payload - smallest) % overflowRoom
    return even <= largest ? even : smallest
  }

  /// The page of the pointer map with the entry of another page.
  ///
  /// Each page of the map has entries of five bytes for the pages after it.
  func pointerMapPage(of page: UInt32) -> UInt32 {
    let group = UInt32(usable / 5 + 1)
    let map = (max(page, 2) - 2) / group * group + 2
    // The map is one page later if it would be in the page for locks.
    return map == lockBytePage ? map + 1 : map
  }

  /// Whether a page belongs to the pointer map of a database that has one.
  package func isPointerMap(_ page: UInt32) -> Bool {
    page > 1 && pointerMapPage(of: page) == page
  }
}
