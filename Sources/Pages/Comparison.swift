/// Finds the rows that two states of a database do not have in common, and reads only changed pages.
///
/// A page has the same bytes in both states if both have it from the same frame of the log, or both
/// from the database file.
package struct Comparison: Sendable {
  /// The largest number of pages of a database.
  package static let largestPageCount = 1 << 27

  package let old: DatabaseView
  package let new: DatabaseView
  /// The pages that transactions between the states wrote, in order.
  package let written: [UInt32]
  /// What the states have in these pages.
  private let pages: (old: WrittenPages, new: WrittenPages)
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
    pages = (try WrittenPages(written, in: old), try WrittenPages(written, in: new))
    overwritten = try overwrittenPages()
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
    let leaves = try changedLeaves(ofTable: root, newRoot: newRoot)
    var (left, right) = (LeafRows(old, leaves: leaves.old), LeafRows(new, leaves: leaves.new))
    try left.next()
    try right.next()
    while let row = smaller(left.cell?.rowID, right.cell?.rowID) {
      let before = left.cell.flatMap { $0.rowID == row ? $0 : nil }
      let after = right.cell.flatMap { $0.rowID == row ? $0 : nil }
      let isSame = before.flatMap { before in after.map(before.hasSameBytes) } ?? false
      if !isSame { try body(row) }
      if before != nil { try left.next() }
      if after != nil { try right.next() }
    }
    return Set(leaves.old).union(leaves.new)
  }

  /// Whether the b-trees with two root pages have the same pages in both states.
  package func isSame(tree root: UInt32, newRoot: UInt32) throws(PageError) -> Bool {
    guard root == newRoot else { return false }
    if try new.hasRowIDs(tree: root), try old.hasRowIDs(tree: root) {
      let leaves = try changedLeaves(ofTable: root, newRoot: root)
      return leaves.old.isEmpty && leaves.new.isEmpty
    }
    try pages.new.check(tree: newRoot)
    guard pages.new.hasIndex || !overwritten.isEmpty else { return true }
    let overflow = OverflowReader(new)
    let buffer = PageBuffer(new.layout)
    var rest = overwritten
    var isSame = true
    var walk = try TreeWalk(new, root: root)
    try walk.forEachPage { (page, _) throws(PageError) in
      guard isSame else { return }
      isSame = old.frame(of: page) == new.frame(of: page)
      if isSame, !rest.isEmpty {
        isSame = try !removePages(ofRowsIn: page, from: &rest, buffer, overflow)
      }
    }
    return isSame
  }

  /// The leaves of a table with rows that may differ, in both states.
  private func changedLeaves(
    ofTable root: UInt32,
    newRoot: UInt32
  ) throws(PageError) -> (old: [UInt32], new: [UInt32]) {
    try pages.old.check(tree: root)
    try pages.new.check(tree: newRoot)
    var keys = (old: pages.old.rowIDs, new: pages.new.rowIDs)
    var before = ChangedLeaves(old, written: written, changed: root == newRoot ? [] : [root])
    var after = ChangedLeaves(new, written: written, changed: root == newRoot ? [] : [newRoot])
    if !overwritten.isEmpty {
      for leaf in try overwrittenLeaves(ofTable: newRoot) {
        before.changed.insert(leaf.page)
        after.changed.insert(leaf.page)
        keys.old.append(leaf.rowID)
        keys.new.append(leaf.rowID)
      }
      keys.old.sort()
      keys.new.sort()
    }
    while true {
      try after.walk(root: newRoot, keys: keys.new)
      // All pages of the new tree are unchanged, so the old tree has the same pages.
      guard after.isChanged else { return ([], []) }
      try before.walk(root: root, keys: keys.old)
      // A page that moved to another parent has the same rows in both states. Pages of only one state
      // have children in only one state, or children that moved.
      let gone = before.children.subtracting(after.children)
      let added = after.children.subtracting(before.children)
      if gone.isEmpty, added.isEmpty { return (before.leaves, after.leaves) }
      before.changed.formUnion(gone)
      after.changed.formUnion(added)
    }
  }

  /// The leaves of a table that have a row with an overwritten page, each with one of its row IDs.
  private func overwrittenLeaves(
    ofTable root: UInt32
  ) throws(PageError) -> [(page: UInt32, rowID: Int64)] {
    let overflow = OverflowReader(new)
    let buffer = PageBuffer(new.layout)
    var rest = overwritten
    var result: [(page: UInt32, rowID: Int64)] = []
    var walk = try TreeWalk(new, root: root)
    while !rest.isEmpty, let number = try walk.nextLeaf() {
      guard try removePages(ofRowsIn: number, from: &rest, buffer, overflow) else { continue }
      let page = try BTreePage(buffer, number: number, layout: new.layout)
      if let rowID = try page.someRowID(layout: new.layout) { result.append((number, rowID)) }
    }
    return result
  }

  /// Removes the overflow pages of the rows in a page from a set; false if the set has none of them.
  private func removePages(
    ofRowsIn page: UInt32,
    from pages: inout Set<UInt32>,
    _ buffer: PageBuffer,
    _ overflow: OverflowReader
  ) throws(PageError) -> Bool {
    try new.read(page, into: buffer)
    let count = pages.count
    try overflow.forEachPage(in: buffer, page) { pages.remove($0) }
    return pages.count < count
  }

  private func overwrittenPages() throws(PageError) -> Set<UInt32> {
    var result = pages.new.others
    guard !result.isEmpty else { return [] }
    // Most written overflow pages belong to rows in written pages.
    let buffer = PageBuffer(new.layout)
    let overflow = OverflowReader(new)
    for page in pages.new.trees where !result.isEmpty {
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

private func smaller(_ left: Int64?, _ right: Int64?) -> Int64? {
  guard let left, let right else { return left ?? right }
  return min(left, right)
}

/// What a state of a database has in the pages that were written.
private struct WrittenPages: Sendable {
  private let view: DatabaseView
  /// The pages that look like pages of b-trees.
  private(set) var trees: [UInt32] = []
  /// Pages that may be overflow pages.
  private(set) var others: Set<UInt32> = []
  /// Row IDs by which searches reach each page of a table, in order.
  private(set) var rowIDs: [Int64] = []
  /// Whether a page belongs to an index, or to a table WITHOUT ROWID.
  private(set) var hasIndex = false
  /// Why no row ID could be read in a page that looks like a page of a b-tree.
  private var errors: [UInt32: PageError] = [:]

  init(_ numbers: [UInt32], in view: DatabaseView) throws(PageError) {
    self.view = view
    let buffer = PageBuffer(view.layout)
    for number in numbers where number <= view.pageCount && number != view.layout.lockBytePage {
      if view.header?.hasPointerMap == true, view.layout.isPointerMap(number) { continue }
      do throws(PageError) {
        try view.read(number, into: buffer)
      } catch {
        // A page that was always free need not exist.
        guard error.code == .truncated else { throw error }
        continue
      }
      // An overflow page begins with a page number, and a page of a b-tree with 2, 5, 10 or 13. In
      // very large databases, a page number can begin with these bytes too.
      let isTree = number == 1 || buffer.bytes[0] > 1
      if !isTree || view.pageCount >> 24 > 1 { others.insert(number) }
      guard isTree else { continue }
      trees.append(number)
      do throws(PageError) {
        let page = try BTreePage(buffer, number: number, layout: view.layout)
        if !page.isTable { hasIndex = true }
        if let rowID = try page.someRowID(layout: view.layout) { rowIDs.append(rowID) }
      } catch {
        errors[number] = error
      }
    }
    rowIDs.sort()
  }

  /// Throws if the tree with a root page has a damaged page to which no row ID leads.
  ///
  /// Free pages and overflow pages, which can look like pages of a b-tree, may have any bytes.
  func check(tree root: UInt32) throws(PageError) {
    guard !errors.isEmpty else { return }
    var walk = try TreeWalk(view, root: root)
    try walk.forEachPage { (page, _) throws(PageError) in
      if let error = errors[page] { throw error }
    }
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
