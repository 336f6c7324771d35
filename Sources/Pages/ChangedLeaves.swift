/// A walk through a table that reads only the pages that may have changed.
///
/// A changed page is found by a row ID that it contains, as SQLite would search for the row. So the
/// cost follows the number of changed pages, and not the size of the table.
struct ChangedLeaves {
  private let view: DatabaseView
  /// The pages that were written between the two states, in order.
  private let written: [UInt32]
  /// Other pages that only this state has in the tree, or whose rows have other overflow pages.
  var changed: Set<UInt32>
  /// The changed leaves of the last walk, in the order of their rows.
  private(set) var leaves: [UInt32] = []
  /// The unchanged children of changed pages in the last walk.
  private(set) var children: Set<UInt32> = []
  /// Whether the last walk met a changed page.
  private(set) var isChanged = false
  private var buffers: [PageBuffer] = []
  /// The number of pages above the leaves; nil until the first leaf is read.
  private var leafDepth: Int?
  private var unusedPages = 0

  init(_ view: DatabaseView, written: [UInt32], changed: Set<UInt32>) {
    self.view = view
    self.written = written
    self.changed = changed
  }

  /// Walks through the tree with a root page; `keys` are row IDs in changed pages, in ascending order.
  mutating func walk(root: UInt32, keys: [Int64]) throws(PageError) {
    (leaves, children, isChanged, leafDepth) = ([], [], false, nil)
    unusedPages = view.existingPageCount
    try visit(root, keys: keys[...], depth: 0, from: 0)
  }

  private mutating func visit(
    _ number: UInt32,
    keys: ArraySlice<Int64>,
    depth: Int,
    from parent: UInt32
  ) throws(PageError) {
    unusedPages -= 1
    guard unusedPages >= 0 else {
      throw .corrupt(page: parent, "the b-tree uses a page twice")
    }
    let isChanged = isChanged(number)
    if isChanged { self.isChanged = true }
    guard depth != leafDepth else {
      if isChanged { leaves.append(number) }
      return
    }
    guard depth < TreeWalk.largestDepth else {
      throw .corrupt(page: parent, "the b-tree has more than \(TreeWalk.largestDepth) levels")
    }
    if buffers.count == depth { buffers.append(PageBuffer(view.layout)) }
    try view.read(number, into: buffers[depth], from: parent)
    let page = try BTreePage(buffers[depth], number: number, layout: view.layout)
    guard page.isTable else { throw .corrupt(page: number, "the page does not belong to a table") }
    guard !page.isLeaf else {
      guard leafDepth == nil else {
        throw .corrupt(page: number, "the leaves of the b-tree have different depths")
      }
      leafDepth = depth
      if isChanged { leaves.append(number) }
      return
    }
    try visitChildren(of: page, keys: keys, depth: depth, all: isChanged)
  }

  /// Visits the changed children of a page, and those that can contain one of the row IDs.
  ///
  /// Only a changed page can have changed children without a row ID.
  private mutating func visitChildren(
    of page: BTreePage,
    keys: ArraySlice<Int64>,
    depth: Int,
    all: Bool
  ) throws(PageError) {
    let layout = view.layout
    var keys = keys
    var index = 0
    while index < page.childCount {
      if !all {
        guard let key = keys.first else { return }
        index = try page.childIndex(of: key, layout: layout)
      }
      var inside = keys
      if index < page.cellCount {
        let last = try page.key(index, layout: layout)
        inside = keys.prefix { $0 <= last }
      }
      keys = keys[inside.endIndex...]
      let child = try page.child(index, layout: layout)
      let isChanged = isChanged(child)
      if all, !isChanged { children.insert(child) }
      if isChanged || !inside.isEmpty {
        try visit(child, keys: inside, depth: depth + 1, from: page.number)
      }
      index += 1
    }
  }

  private func isChanged(_ page: UInt32) -> Bool {
    if changed.contains(page) { return true }
    var (low, high) = (0, written.count)
    while low < high {
      let middle = (low + high) / 2
      if written[middle] < page { low = middle + 1 } else { high = middle }
    }
    return low < written.count && written[low] == page
  }
}

/// Reads the rows of some leaves of a table, whose order is that of the rows.
struct LeafRows {
  private let view: DatabaseView
  private let leaves: [UInt32]
  private let buffer: PageBuffer
  private var nextLeaf = 0
  private var page: BTreePage?
  private var nextCell = 0
  /// The present row, whose bytes are valid until the next one; nil before the first row and after the
  /// last one.
  private(set) var cell: Cell?

  init(_ view: DatabaseView, leaves: [UInt32]) {
    self.view = view
    self.leaves = leaves
    buffer = PageBuffer(view.layout)
  }

  /// Moves to the next row.
  mutating func next() throws(PageError) {
    while true {
      if let page, nextCell < page.cellCount {
        let last = cell?.rowID
        let next = try page.cell(nextCell, layout: view.layout)
        if let last, next.rowID <= last {
          throw .corrupt(page: page.number, "the row IDs are not in order")
        }
        cell = next
        nextCell += 1
        return
      }
      guard nextLeaf < leaves.count else {
        cell = nil
        return
      }
      let number = leaves[nextLeaf]
      try view.read(number, into: buffer)
      let page = try BTreePage(buffer, number: number, layout: view.layout)
      guard page.isTable, page.isLeaf else {
        throw .corrupt(page: number, "the page is not a leaf of a table")
      }
      self.page = page
      (nextLeaf, nextCell) = (nextLeaf + 1, 0)
    }
  }
}
