import Format

/// A tree of hashes as in RFC 6962, whose hashes are stored in tiles.
///
/// Only the tiles that are needed are read. A larger tree contains the hashes of its smaller
/// predecessors, because hashes in a tile never change.
package struct TiledTree {
  /// The folder of the tree, which contains the folder `tile`.
  package let path: String
  /// The number of leaves of the tree.
  package let count: Int64
  private let cache = TileCache()

  package init(_ path: String, count: Int64) {
    self.path = path
    self.count = count
  }

  package func leaf(_ index: Int64) throws -> Digest { try root(of: index..<index + 1) }

  package func head() throws -> TreeHead {
    TreeHead(count: count, root: count == 0 ? MerkleTree().root : try root(of: 0..<count))
  }

  /// The hashes that prove that a leaf is in the tree.
  package func inclusion(of index: Int64) throws -> [Digest] {
    try inclusionPath(of: index, in: count).map { try root(of: $0) }
  }

  /// The hashes that prove that this tree begins with a smaller tree.
  package func consistency(from old: Int64) throws -> [Digest] {
    try consistencyPath(from: old, to: count).map { try root(of: $0) }
  }

  private func root(of node: Range<Int64>) throws -> Digest {
    let leaves = node.upperBound - node.lowerBound
    guard leaves & (leaves - 1) == 0 else {
      var tree = MerkleTree()
      var first = node.lowerBound
      // The node is split into its largest complete subtrees, from left to right.
      while first < node.upperBound {
        let rest = node.upperBound - first
        let size: Int64 = 1 << Int64(63 - rest.leadingZeroBitCount)
        try tree.append(root(of: first..<first + size), ofLeaves: size)
        first += size
      }
      return tree.root
    }
    let level = leaves.trailingZeroBitCount / 8
    let hashes = Range(
      uncheckedBounds: (node.lowerBound >> (8 * level), node.upperBound >> (8 * level))
    )
    let index = hashes.lowerBound / Tile.width
    let first = Int(hashes.lowerBound % Tile.width)
    let tile = try tile(level: level, index: index)
    return MerkleTree(tile[first..<first + Int(hashes.upperBound - hashes.lowerBound)]).root
  }

  func tile(level: Int, index: Int64) throws -> [Digest] {
    if let known = cache.tiles[level], known.index == index { return known.hashes }
    let width = min(Tile.width, count >> (8 * level) - index * Tile.width)
    let tile = Tile(level: "\(level)", index: index, width: width)
    var hashes = try read(tile.path, width) ?? read(tile.fullPath, width)
    if hashes == nil {
      // The partial tile of a smaller tree may have been replaced by one with more hashes. So each
      // partial tile at this position is tried.
      for name in try names(in: "\(path)/\(tile.partialFolder)") where hashes == nil {
        hashes = try read("\(tile.partialFolder)/\(name)", width)
      }
    }
    guard let hashes else { throw missingTile("\(path)/\(tile.path)") }
    cache.tiles[level] = (index, hashes)
    return hashes
  }

  /// Reads the first `width` hashes of a file; nil if the file contains fewer hashes.
  private func read(_ name: String, _ width: Int64) throws -> [Digest]? {
    guard let bytes = try readSmallFile("\(path)/\(name)", limit: 32 << 8),
      bytes.count >= 32 * Int(width)
    else { return nil }
    return bytes.withUnsafeBytes { bytes in
      (0..<Int(width)).compactMap {
        Digest(bytes: UnsafeRawBufferPointer(rebasing: bytes[32 * $0..<32 * $0 + 32]))
      }
    }
  }
}

/// For each level, the tile that was read last.
private final class TileCache {
  var tiles: [Int: (index: Int64, hashes: [Digest])] = [:]
}

func missingTile(_ path: String) -> LogError {
  LogError(.missingTile, path) {
    "The tile \(path) is missing or cut off."
      + "\nIf the logs are sound, \(inQuotes("travelog checkpoint LOGS")) rebuilds the tree."
  }
}
