/// Reads the bytes of payloads that do not fit in their pages.
///
/// "Cell Payload Overflow Pages" in the file format: each page begins with the number of the next
/// one. The number of pages follows from the size of the payload, so a cycle ends the reading too.
final class OverflowReader {
  private let view: DatabaseView
  let layout: PageLayout
  private let buffer: PageBuffer

  init(_ view: DatabaseView) {
    self.view = view
    layout = view.layout
    buffer = PageBuffer(layout)
  }

  /// Calls the closure with the bytes of a range of a payload, in one or more parts.
  ///
  /// The bytes are valid until the closure returns.
  func forEachPart(
    of cell: Cell,
    _ range: Range<Int>,
    _ body: (UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) {
    let local = range.clamped(to: 0..<cell.local.count)
    if !local.isEmpty { try body(UnsafeRawBufferPointer(rebasing: cell.local[local])) }
    var page = cell.overflow
    var start = cell.local.count
    while start < range.upperBound {
      try view.read(page, into: buffer, from: cell.page)
      let count = min(layout.overflowRoom, cell.payloadCount - start)
      let part = range.clamped(to: start..<start + count)
      if !part.isEmpty {
        let bytes = buffer.bytes[(4 + part.lowerBound - start)..<(4 + part.upperBound - start)]
        try body(UnsafeRawBufferPointer(rebasing: bytes))
      }
      page = buffer.start.uint32(at: 0)
      start += count
    }
  }

  /// Calls the closure with the numbers of the overflow pages of a cell, in order.
  func forEachPage(
    of cell: Cell,
    _ body: (UInt32) throws(PageError) -> Void
  ) throws(PageError) {
    guard cell.overflowPageCount <= view.existingPageCount else {
      throw .corrupt(page: cell.page, "a row is larger than the database")
    }
    var page = cell.overflow
    for place in 0..<cell.overflowPageCount {
      if place > 0 {
        try view.read(page, into: buffer, from: cell.page)
        page = buffer.start.uint32(at: 0)
      }
      try body(page)
    }
  }
}
