import Format

/// Appends leaves to a tree whose hashes are stored in tiles.
///
/// A tile is written as soon as it is full. Readers use a new tile only after the new number of
/// leaves is written elsewhere, which happens after ``finish(keeping:)``.
package struct TileWriter {
  /// The folder of the tree, which contains the folder `tile`.
  package let path: String
  /// The number of leaves of the tree.
  package private(set) var count: Int64
  /// The hashes of the last tile of each level, if this tile is not full.
  private var levels: [[Digest]] = []

  package init(_ tree: TiledTree) throws {
    path = tree.path
    count = tree.count
    var hashes = count
    while hashes > 0 {
      let isPartial = hashes % Tile.width > 0
      levels.append(
        isPartial ? try tree.tile(level: levels.count, index: hashes / Tile.width) : []
      )
      hashes /= Tile.width
    }
  }

  package func head() throws(ProofError) -> TreeHead {
    var tree = MerkleTree()
    for (level, hashes) in levels.enumerated().reversed() {
      for hash in hashes { try tree.append(hash, ofLeaves: 1 << Int64(8 * level)) }
    }
    return TreeHead(count: count, root: tree.root)
  }

  package mutating func append(_ leaf: Digest) throws {
    count += 1
    var (hash, level) = (leaf, 0)
    while true {
      if level == levels.count { levels.append([]) }
      levels[level].append(hash)
      guard levels[level].count == Tile.width else { return }
      let tile = Tile(level: "\(level)", index: count >> (8 * (level + 1)) - 1)
      try tile.write(levels[level].flatMap(\.bytes), in: path)
      try tile.removePartials(in: path)
      hash = MerkleTree(levels[level]).root
      levels[level] = []
      level += 1
    }
  }

  /// Writes the partial tiles, and removes older partial tiles that the tree with `smaller` leaves
  /// does not need.
  package func finish(keeping smaller: Int64 = 0) throws {
    for (level, hashes) in levels.enumerated() where !hashes.isEmpty {
      let index = count >> (8 * (level + 1))
      var tile = Tile(level: "\(level)", index: index, width: Int64(hashes.count))
      try tile.write(hashes.flatMap(\.bytes), in: path)
      tile.width = max(0, smaller >> (8 * level) - index * Tile.width)
      try tile.removePartials(in: path, except: [Int64(hashes.count), tile.width])
    }
  }
}
