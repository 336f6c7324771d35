/// A page that has no contents.
package struct FreePage: Hashable, Sendable {
  package let number: UInt32
  /// Whether the page lists other free pages; SQLite does not write to the pages in its list.
  package let isTrunk: Bool
}

extension DatabaseView {
  /// Calls the closure with each page of the list in "The Freelist" of the file format.
  package func forEachFreePage(
    _ body: (FreePage) throws(PageError) -> Void
  ) throws(PageError) {
    guard let header else { return }
    let buffer = PageBuffer(layout)
    var trunk = header.firstFreeTrunk
    var (origin, rest): (UInt32, UInt32) = (1, header.freePageCount)
    while trunk != 0 {
      try read(trunk, into: buffer, from: origin)
      let count = buffer.start.uint32(at: 4)
      // The header knows the number of pages, so a cycle ends too.
      guard count <= layout.usable / 4 - 2, count < rest else {
        throw .corrupt(page: trunk, "the list of free pages is longer than the header says")
      }
      rest -= count + 1
      try body(FreePage(number: trunk, isTrunk: true))
      for index in 0..<Int(count) {
        let page = buffer.start.uint32(at: 8 + 4 * index)
        guard page > 1, page <= pageCount else {
          throw .corrupt(page: trunk, "page \(page) is not one of the \(pageCount) pages")
        }
        try body(FreePage(number: page, isTrunk: false))
      }
      (origin, trunk) = (trunk, buffer.start.uint32(at: 0))
    }
    guard rest == 0 else {
      throw .corrupt(page: origin, "the list of free pages is shorter than the header says")
    }
  }
}
