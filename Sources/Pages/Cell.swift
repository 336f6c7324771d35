import Glibc

/// A row in a page, as far as the page contains it.
struct Cell {
  let page: UInt32
  /// The key of a row in a table; zero in an index.
  let rowID: Int64
  let payloadCount: Int
  /// The bytes of the payload in the page; the other bytes are in overflow pages.
  let local: UnsafeRawBufferPointer
  /// The first overflow page; zero if the page has the whole payload.
  let overflow: UInt32
  let overflowPageCount: Int

  /// Whether two rows have the same bytes, and none in overflow pages.
  func hasSameBytes(as other: Cell) -> Bool {
    guard overflowPageCount == 0, other.overflowPageCount == 0, local.count == other.local.count
    else { return false }
    guard let left = local.baseAddress, let right = other.local.baseAddress else { return true }
    return memcmp(left, right, local.count) == 0
  }
}
