import ChangeLog
import Changes

/// Compares the transactions of logs with the leaves of the tree beside them.
struct TreeComparison {
  private let tree: LineageTree
  private let tiles: TiledTree
  private var error: LogError?

  /// Begins a comparison; nil if there is no tree.
  init?(_ folder: LogFolder, store: String, lineage: Int64) throws {
    guard folder.partial == nil,
      let tree = try LineageTree(folder, store: store, lineage: lineage)
    else { return nil }
    self.tree = tree
    tiles = tree.tiles
    do {
      try tree.check()
    } catch let error as LogError where error.reason is TreeFailure {
      self.error = error
    }
  }

  /// Takes the next transaction.
  mutating func take(_ transaction: Transaction) throws {
    // A tree that ends earlier is continued by the next export.
    guard error == nil, transaction.id <= tree.last.transaction, let digest = transaction.digest
    else { return }
    do {
      if let position = tree.position(of: transaction.id),
        try tiles.leaf(position) == leafHash(digest)
      {
        return
      }
      error = TreeFailure.otherLeaf.at(tree.path, transaction: transaction.id)
    } catch let error as LogError where error.reason is TreeFailure {
      self.error = error
    }
  }

  /// What is wrong with the tree of logs that end with a transaction; nil if it is theirs.
  func finding(end: Int64) -> Finding? {
    guard error == nil, tree.last.transaction > end else { return error.flatMap { Finding($0) } }
    return Finding(TreeFailure.otherLeaf.at(tree.path, transaction: end + 1))
  }
}
