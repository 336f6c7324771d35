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
}
