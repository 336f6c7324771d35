/// Finds the pages that two states of a database have in common, without reading these pages.
///
/// A page has the same bytes in both states if both have it from the same frame of the log, or both
/// from the database file.
package struct Comparison: Sendable {
  /// The largest number of pages, whose bits need 16 MiB.
  package static let largestPageCount = 1 << 27

  package let old: DatabaseView
  package let new: DatabaseView
  /// The pages that transactions between the states wrote, in order.
  package let written: [UInt32]
  /// Written overflow pages of rows that are not in written pages: SQLite overwrites a large value
  /// by one of the same size without writing to the page with the row.
  private var overwritten: Set<UInt32> = []

  /// Compares two states that have the same database file and the same log.
  ///
  /// - Throws: ``PageError/Code/changedMeanwhile`` if the log was begun again between the states.
  package init(_ old: DatabaseView, _ new: DatabaseView) throws(PageError) {
    self.old = old
    self.new = new
    let frames = (old.lastFrame, new.lastFrame)
    guard frames.0 == 0 || frames.1 == 0 || old.log?.header.salts == new.log?.header.salts else {
      throw PageError(.changedMeanwhile, "the log was begun again between the states")
    }
    guard max(old.pageCount, new.pageCount) <= Self.largestPageCount else {
      throw PageError(.tooLarge, "the database has more than \(Self.largestPageCount) pages")
    }
    let log = frames.0 > frames.1 ? old.log : new.log
    written = log?.pages(ofFrames: min(frames.0, frames.1) + 1..<max(frames.0, frames.1) + 1) ?? []
    overwritten = try overwrittenPages()
  }

  /// The pages that the b-trees with a root page have in common.
  ///
  /// A cursor can skip them in both states, and then reads all rows that differ.
  package func equalPages(
    ofTree root: UInt32,
    newRoot: UInt32? = nil
  ) throws(PageError) -> PageSet {
    let buffer = PageBuffer(new.layout)
    let overflow = OverflowReader(new)
    var candidates = PageSet(through: min(old.pageCount, new.pageCount))
    var walk = try TreeWalk(new, root: newRoot ?? root, skipping: nil)
    try walk.forEachPage { (page, _) throws(PageError) in
      guard old.frame(of: page) == new.frame(of: page) else { return }
      if !overwritten.isEmpty, try hasOverwrittenRow(page, buffer, overflow) { return }
      candidates.insert(page)
    }
    // A free page keeps its bytes, so a page of one tree only can have the same bytes too.
    var result = PageSet(through: min(old.pageCount, new.pageCount))
    walk = try TreeWalk(old, root: root, skipping: nil)
    try walk.forEachPage { (page, _) in
      if candidates.contains(page) { result.insert(page) }
    }
    return result
  }

  /// Calls the closure with the IDs of the rows of a table whose bytes differ, or that only one state
  /// has, in ascending order.
  ///
  /// A row with overflow pages in a changed page is also given, whether it differs or not.
  ///
  /// - Returns: The leaves that only one of the states has.
  package func forEachChangedRow(
    ofTable root: UInt32,
    newRoot: UInt32,
    _ body: (Int64) throws -> Void
  ) throws -> Set<UInt32> {
    let equal = try equalPages(ofTree: root, newRoot: newRoot)
    var left = try Cursor(old, root: root, skipping: equal)
    var right = try Cursor(new, root: newRoot, skipping: equal)
    var (hasLeft, hasRight) = (try left.next(), try right.next())
    var changed: Set<UInt32> = []
    while hasLeft || hasRight {
      if hasLeft { changed.insert(left.page) }
      if hasRight { changed.insert(right.page) }
      if hasLeft, hasRight, left.rowID == right.rowID {
        if !left.hasSameBytes(as: right) { try body(left.rowID) }
        (hasLeft, hasRight) = (try left.next(), try right.next())
      } else if hasLeft, !hasRight || left.rowID < right.rowID {
        try body(left.rowID)
        hasLeft = try left.next()
      } else {
        try body(right.rowID)
        hasRight = try right.next()
      }
    }
    return changed
  }

  /// Whether the b-trees with two root pages have the same pages in both states.
  package func isSame(tree root: UInt32, newRoot: UInt32) throws(PageError) -> Bool {
    guard root == newRoot else { return false }
    let equal = try equalPages(ofTree: root, newRoot: newRoot)
    var isSame = true
    for view in [old, new] {
      var walk = try TreeWalk(view, root: root, skipping: nil)
      try walk.forEachPage { (page, _) in if !equal.contains(page) { isSame = false } }
    }
    return isSame
  }

  private func hasOverwrittenRow(
    _ page: UInt32,
    _ buffer: PageBuffer,
    _ overflow: OverflowReader
  ) throws(PageError) -> Bool {
    try new.read(page, into: buffer)
    var isFound = false
    try overflow.forEachPage(in: buffer, page) { if overwritten.contains($0) { isFound = true } }
    return isFound
  }

  private func overwrittenPages() throws(PageError) -> Set<UInt32> {
    var result: Set<UInt32> = []
    var trees: [UInt32] = []
    let buffer = PageBuffer(new.layout)
    for page in written where page <= new.pageCount && page != new.layout.lockBytePage {
      if new.header?.hasPointerMap == true, new.layout.isPointerMap(page) { continue }
      // An overflow page begins with a page number, and a page of a b-tree with 2, 5, 10 or 13. In
      // very large databases, a page number can begin with these bytes too.
      try new.read(page, into: buffer)
      let isTree = page == 1 || buffer.bytes[0] > 1
      if isTree { trees.append(page) }
      if !isTree || new.pageCount >> 24 > 1 { result.insert(page) }
    }
    guard !result.isEmpty else { return [] }
    // Most written overflow pages belong to rows in written pages.
    let overflow = OverflowReader(new)
    for page in trees where !result.isEmpty {
      try new.read(page, into: buffer)
      do throws(PageError) {
        try overflow.forEachPage(in: buffer, page) { result.remove($0) }
      } catch {
        // A page that is free now can have any bytes, so this is not damage. If the page belongs to
        // a tree, reading the tree fails too.
        guard error.code == .corrupt || error.code == .truncated else { throw error }
      }
    }
    guard !result.isEmpty else { return [] }
    try new.forEachFreePage { result.remove($0.number) }
    return result
  }
}

extension OverflowReader {
  /// Calls the closure with the overflow pages of the rows in a page of a b-tree.
  fileprivate func forEachPage(
    in buffer: PageBuffer,
    _ number: UInt32,
    _ body: (UInt32) throws(PageError) -> Void
  ) throws(PageError) {
    let page = try BTreePage(buffer, number: number, layout: layout)
    guard page.isLeaf || !page.isTable else { return }
    for index in 0..<page.cellCount {
      try forEachPage(of: page.cell(index, layout: layout), body)
    }
  }
}
