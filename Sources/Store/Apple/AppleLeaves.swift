import AppleStores
import Format
import Pages
import SQLite

/// Finds the rows of a store that may differ from those that were seen last, by the pages that
/// changed.
struct AppleLeaves {
  private let objects: AppleObjects
  private let layouts: [EntityLayout]
  private let digests: LeafDigests
  private var state: AppleDatabase.State { objects.apple.state }

  init(_ objects: AppleObjects, _ writer: Writer) {
    self.objects = objects
    layouts = writer.layouts
    digests = Self.digests(on: writer.connection)
  }

  private static func digests(on connection: Connection) -> LeafDigests {
    LeafDigests(connection, named: "history_apple_leaf")
  }

  static func create(on connection: Connection) throws { try digests(on: connection).create() }

  /// Forgets what was seen, because rows of the history file change without a comparison of all
  /// pages.
  func forget() throws { try digests.removeAll() }

  /// The ranges of ids in whose pages the rows of a topmost entity can differ, in ascending order,
  /// and the number of rows in the other pages.
  ///
  /// The pages count as seen from now on.
  func changedRanges(_ root: Int) throws -> (ranges: [ClosedRange<Int64>], others: Int64) {
    let everything: ([ClosedRange<Int64>], Int64) = ([.min ... .max], 0)
    guard let name = objects.apple.store.layout.table(of: root)?.name,
      let page = state.roots[name], try state.view.hasRowIDs(tree: page)
    else { return everything }
    var ranges: [ClosedRange<Int64>] = []
    var others: Int64 = 0
    var seen = PageSet(through: state.view.pageCount)
    /// The first id after the last known leaf; nil after the largest id.
    var start: Int64? = .min
    try state.view.forEachLeaf(ofTable: page) { leaf in
      seen.insert(leaf.page)
      guard try digests.isKnown(leaf, of: name) else { return try digests.set(leaf, of: name) }
      guard let rows = leaf.rows else { return }
      others += Int64(leaf.rowCount)
      if let first = start, first < rows.lowerBound { ranges.append(first...rows.lowerBound - 1) }
      start = rows.upperBound == .max ? nil : rows.upperBound + 1
    }
    if let start { ranges.append(start ... .max) }
    try digests.removeAll(of: name, except: seen)
    let areLinksSame = try areLinksSame(of: root)
    return areLinksSame && !hasFiles(root) ? (ranges, others) : everything
  }

  /// Notes the pages of the shown state, whose rows the history file has.
  func note() throws {
    for root in objects.roots { _ = try changedRanges(root) }
  }

  /// Whether values are in files of their own, which can appear and vanish.
  private func hasFiles(_ root: Int) -> Bool {
    objects.apple.store.model.family(of: root).contains { entity in
      layouts[objects.places[entity].entity].columns.contains(where: \.isExternal)
    }
  }

  /// Whether the tables of links that the objects of a family own are those that were seen last.
  private func areLinksSame(of root: Int) throws -> Bool {
    var areSame = true
    for table in objects.linkTables where table.root == root {
      guard let page = state.roots[table.name] else { continue }
      let digest = try state.view.digest(ofTree: page)
      guard try digests.wholeTree(of: table.name) != digest else { continue }
      try digests.setWholeTree(digest, of: table.name)
      areSame = false
    }
    return areSame
  }
}
