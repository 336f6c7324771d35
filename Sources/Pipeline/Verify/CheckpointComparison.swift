import Format

/// Compares the tree over the first transactions of a history with trusted checkpoints.
///
/// The tree is computed from the transactions, and not read from the tiles beside the logs, which
/// anyone who can write the logs can write too.
package struct CheckpointComparison {
  private let checkpoints: [Checkpoint]
  private var tree = MerkleTree()
  /// The checkpoints whose transactions the history has.
  package private(set) var found: Set<Checkpoint> = []

  package init(_ checkpoints: [Checkpoint]) { self.checkpoints = checkpoints }

  /// Takes the digest of the next transaction, and returns whether a checkpoint covers exactly the
  /// transactions up to this one.
  package mutating func take(_ digest: Digest?) -> Bool {
    guard !checkpoints.isEmpty, let digest else { return false }
    tree.append(leafHash(digest))
    let reached = checkpoints.filter {
      $0.head.count == tree.count && $0.head.root == tree.root
    }
    found.formUnion(reached)
    return !reached.isEmpty
  }
}
