import ChangeLog
import Format

/// Compares the transactions of logs with the leaves of the tree beside them.
struct TreeComparison {
  private var tree: LineageTree?
  private var tiles: TiledTree?
  /// The first difference between the logs and the tree.
  private(set) var finding: Finding?
  /// The missing part of the tree.
  ///
  /// For example, a copy of the folder that was made during an export can lack a part of the tree.
  private(set) var notice: Finding?

  /// Starts a comparison.
  ///
  /// If there is no tree, the comparison finds no differences.
  init(_ folder: LogFolder, store: String, lineage: Int64) throws {
    do {
      tree = try LineageTree(folder, store: store, lineage: lineage)
      try tree?.check()
      tiles = tree?.tiles
      if let tree, let old = try CheckpointFile.published(tree.path)?.checkpoint.head {
        try checkExtension(tree.tiles, from: old, to: tree.head)
      }
    } catch let error as LogError {
      try note(error)
    }
  }

  /// Records why the tree can't be read; throws the error if its cause is not in the tree.
  ///
  /// Missing tiles are not an error, because a copy that was made during an export can lack tiles.
  /// Any other reason means that the tree was altered.
  private mutating func note(_ error: LogError) throws {
    if error.code == .missingTile {
      notice = Finding(.treeIsNotWhole("\(error)"))
    } else {
      finding = Finding(error)
      if finding == nil { throw error }
    }
  }

  /// Returns a finding if the tree contains transactions after the end of the logs; otherwise nil.
  ///
  /// An export writes a log before it extends the tree, so a longer tree shows that logs are
  /// missing.
  func findingAhead(of end: HistoryPoint) -> Finding? {
    guard finding == nil, let tree, tree.last.transaction > end.transaction else { return nil }
    return Finding(
      .treeIsAhead(end: end.transaction),
      path: tree.path,
      transaction: tree.last.transaction
    )
  }

  /// The number of leaves up to a transaction; nil if there is no tree.
  func count(through transaction: Int64) -> Int64? {
    guard let tree else { return nil }
    var count: Int64 = 0
    for (index, run) in tree.runs.enumerated() where run.transaction <= transaction {
      let end = index + 1 < tree.runs.count ? tree.runs[index + 1].position : tree.head.count
      count += min(end - run.position, transaction - run.transaction + 1)
    }
    return count
  }

  mutating func take(_ transaction: Transaction) throws {
    // A tree that ends before the logs is not an error, because the next export extends the tree.
    guard let tree, let tiles, transaction.id <= tree.last.transaction,
      let digest = transaction.digest
    else { return }
    do {
      if let position = tree.position(of: transaction.id),
        try tiles.leaf(position) == leafHash(digest),
        transaction.id < tree.last.transaction || transaction.chainDigest == tree.last.digest
      {
        return
      }
      finding = Finding(
        LogError(.refuted, tree.path, transaction: transaction.id) {
          "The tree in \(tree.path) has another digest of transaction \(transaction.id) than the"
            + " logs.\n\(compareTheTree)"
        }
      )
    } catch let error as LogError {
      try note(error)
    }
    self.tiles = nil
  }
}
