/// Visits the cells of a b-tree in the order of their keys.
///
/// The walk keeps one page for each level. Whatever the pages contain, the walk ends: it refuses to
/// use more pages than the file has, because each page belongs to one place of one tree.
struct TreeWalk {
  /// SQLite's limit, which no file needs, because each interior page has at least two children.
  static let largestDepth = 20

  private let view: DatabaseView
  private let layout: PageLayout
  private var buffers: [PageBuffer] = []
  private var parents: [(page: BTreePage, step: Int)] = []
  private var page: BTreePage
  /// The index of the next cell of a leaf.
  ///
  /// An interior page has its first child at step 0, its first cell at step 1, its second child at
  /// step 2, and so on.
  private var step = 0
  /// The number of pages above the leaves; nil until the first leaf is read.
  private var leafDepth: Int?
  private var unusedPages: Int
  private var lastRowID: Int64?

  /// Reads the root page.
  init(_ view: DatabaseView, root: UInt32) throws(PageError) {
    self.view = view
    layout = view.layout
    unusedPages = view.existingPageCount
    let buffer = PageBuffer(layout)
    try view.read(root, into: buffer, from: 0)
    page = try BTreePage(buffer, number: root, layout: layout)
    buffers.append(buffer)
    try enter()
  }

  /// Reads the next cell with a payload; returns false after the last one.
  ///
  /// The bytes of the cell are valid until the next call.
  mutating func next(_ cell: inout Cell) throws(PageError) -> Bool {
    while true {
      if page.isLeaf, step < page.cellCount {
        cell = try page.cell(step, layout: layout)
        step += 1
        if page.isTable { try check(rowID: cell.rowID) }
        try use(cell.overflowPageCount)
        return true
      }
      guard !page.isLeaf, step <= 2 * page.cellCount else {
        guard let parent = parents.popLast() else { return false }
        (page, step) = parent
        continue
      }
      step += 1
      if step & 1 == 1 {
        try descend(to: page.child(step / 2, layout: layout))
      } else if !page.isTable {
        // In an index, each cell is a row. In a table, the leaves have all rows.
        cell = try page.cell(step / 2 - 1, layout: layout)
        try use(cell.overflowPageCount)
        return true
      }
    }
  }

  /// Calls the closure with each page of the tree and whether it is a leaf; parents come first.
  ///
  /// Only the first leaf is read. A walk is used either for pages or for cells.
  mutating func forEachPage(
    _ body: (UInt32, _ isLeaf: Bool) throws(PageError) -> Void
  ) throws(PageError) {
    try body(page.number, page.isLeaf)
    while true {
      guard !page.isLeaf, step <= 2 * page.cellCount else {
        guard let parent = parents.popLast() else { return }
        (page, step) = parent
        continue
      }
      let child = try page.child(step / 2, layout: layout)
      step += 2
      if parents.count + 1 == leafDepth {
        try use(1)
        try body(child, true)
      } else {
        try descend(to: child)
        try body(page.number, page.isLeaf)
      }
    }
  }

  /// The number of the next leaf, which is not read unless it is the first one; nil after the last.
  ///
  /// A walk is used either for leaves or for cells.
  mutating func nextLeaf() throws(PageError) -> UInt32? {
    while true {
      if page.isLeaf {
        let number = page.number
        if let parent = parents.popLast() {
          (page, step) = parent
        } else {
          guard step == 0 else { return nil }
          step = 1
        }
        return number
      }
      guard step <= 2 * page.cellCount else {
        guard let parent = parents.popLast() else { return nil }
        (page, step) = parent
        continue
      }
      let child = try page.child(step / 2, layout: layout)
      step += 2
      if parents.count + 1 == leafDepth {
        try use(1)
        return child
      }
      try descend(to: child)
    }
  }

  private mutating func descend(to child: UInt32) throws(PageError) {
    let depth = parents.count + 1
    guard depth < Self.largestDepth else {
      throw .corrupt(page: page.number, "the b-tree has more than \(Self.largestDepth) levels")
    }
    if buffers.count == depth { buffers.append(PageBuffer(layout)) }
    try view.read(child, into: buffers[depth], from: page.number)
    let parent = page
    page = try BTreePage(buffers[depth], number: child, layout: layout)
    guard page.isTable == parent.isTable, page.cellCount > 0 else {
      throw .corrupt(page: child, "the page does not match its parent, page \(parent.number)")
    }
    parents.append((parent, step))
    step = 0
    try enter()
  }

  /// Counts the new page.
  private mutating func enter() throws(PageError) {
    try use(1)
    if page.isLeaf, leafDepth == nil { leafDepth = parents.count }
    // Walks that do not read the leaves depend on this property of a b-tree.
    if let leafDepth, page.isLeaf != (parents.count == leafDepth) {
      throw .corrupt(page: page.number, "the leaves of the b-tree have different depths")
    }
  }

  private mutating func use(_ count: Int) throws(PageError) {
    unusedPages -= count
    if unusedPages < 0 { throw .corrupt(page: page.number, "the b-tree uses a page twice") }
  }

  @inline(__always)
  private mutating func check(rowID: Int64) throws(PageError) {
    if let lastRowID, rowID <= lastRowID {
      throw .corrupt(page: page.number, "the row IDs are not in order")
    }
    lastRowID = rowID
  }
}
