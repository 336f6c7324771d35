/// A leaf of a table with row IDs: the rows whose IDs are from the first to the last one.
package struct TableLeaf: Sendable {
  package let page: UInt32
  /// The first and the last row ID; nil in an empty table, which has one empty leaf.
  package let rows: ClosedRange<Int64>?
  package let rowCount: Int
  /// A digest of the page and of the overflow pages of its rows.
  package let digest: PageDigest
}

extension DatabaseView {
  /// Calls the closure with each leaf of a table, in the order of the row IDs.
  ///
  /// Each leaf and each overflow page is read once.
  package func forEachLeaf(
    ofTable root: UInt32,
    _ body: (TableLeaf) throws -> Void
  ) throws {
    let buffer = PageBuffer(layout)
    let overflow = OverflowReader(self)
    var walk = try TreeWalk(self, root: root)
    var last: Int64?
    while let page = try walk.nextLeaf() {
      let leaf = try leaf(page, buffer, overflow)
      if let last, let rows = leaf.rows, rows.lowerBound <= last {
        throw PageError.corrupt(page: page, "the row IDs are not in order")
      }
      last = leaf.rows?.upperBound ?? last
      try body(leaf)
    }
  }

  private func leaf(
    _ number: UInt32,
    _ buffer: PageBuffer,
    _ overflow: OverflowReader
  ) throws(PageError) -> TableLeaf {
    try read(number, into: buffer)
    let page = try BTreePage(buffer, number: number, layout: layout)
    guard page.isTable, page.isLeaf else {
      throw .corrupt(page: number, "the page is not a leaf of a table")
    }
    guard page.cellCount > 0 else {
      return TableLeaf(
        page: number,
        rows: nil,
        rowCount: 0,
        digest: PageDigest(of: buffer.bytes)
      )
    }
    var digest = PageDigest(of: buffer.bytes)
    for index in 0..<page.cellCount {
      let cell = try page.cell(index, layout: layout)
      guard cell.overflowPageCount > 0 else { continue }
      try overflow.forEachPart(of: cell, cell.local.count..<cell.payloadCount) {
        digest = digest.following($0)
      }
    }
    let first = try page.cell(0, layout: layout).rowID
    let last = try page.cell(page.cellCount - 1, layout: layout).rowID
    guard first <= last else { throw .corrupt(page: number, "the row IDs are not in order") }
    return TableLeaf(page: number, rows: first...last, rowCount: page.cellCount, digest: digest)
  }

  /// Whether a b-tree has row IDs as its keys; false for an index and for a table WITHOUT ROWID.
  package func hasRowIDs(tree root: UInt32) throws(PageError) -> Bool {
    let buffer = PageBuffer(layout)
    try read(root, into: buffer)
    return try BTreePage(buffer, number: root, layout: layout).isTable
  }

  /// A digest of all pages of a b-tree in the order of its keys, with the overflow pages.
  ///
  /// If only the numbers of a table's pages change, its digest stays the same; that of an index does
  /// not.
  package func digest(ofTree root: UInt32) throws -> PageDigest {
    var value = PageDigest(value: 0)
    guard try !hasRowIDs(tree: root) else {
      try forEachLeaf(ofTable: root) { value = value.following($0.digest) }
      return value
    }
    let buffer = PageBuffer(layout)
    let overflow = OverflowReader(self)
    var walk = try TreeWalk(self, root: root)
    try walk.forEachPage { (number, _) throws(PageError) in
      try read(number, into: buffer)
      value = value.following(PageDigest(of: buffer.bytes))
      let page = try BTreePage(buffer, number: number, layout: layout)
      for index in 0..<page.cellCount {
        let cell = try page.cell(index, layout: layout)
        guard cell.overflowPageCount > 0 else { continue }
        try overflow.forEachPart(of: cell, cell.local.count..<cell.payloadCount) {
          value = value.following($0)
        }
      }
    }
    return value
  }
}
