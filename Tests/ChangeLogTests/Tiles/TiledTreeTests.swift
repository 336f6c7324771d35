import Format
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Trees in tiles")
struct TiledTreeTests {
  private static let leaves = (0..<700).map { index in
    Array("\(index)".utf8).withUnsafeBytes { leafHash($0) }
  }

  private func head(_ count: Int) -> TreeHead {
    TreeHead(count: Int64(count), root: MerkleTree(Self.leaves.prefix(count)).root)
  }

  private func proof(_ path: [Range<Int64>]) -> [Digest] {
    path.map { MerkleTree(Self.leaves[Int($0.lowerBound)..<Int($0.upperBound)]).root }
  }

  /// The names of all files of a tree.
  private func files(_ path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted().filter {
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(
        atPath: "\(path)/\($0)",
        isDirectory: &isFolder
      )
      return isThere && !isFolder.boolValue
    }
  }

  @Test(
    "A tree that grows leaf by leaf to 600 leaves has the root and the proofs of one in memory."
  )
  func growth() throws {
    try withTemporaryFolder { folder in
      let path = folder.path
      for count in 0...600 {
        var writer = try TileWriter(TiledTree(path, count: Int64(max(0, count - 1))))
        if count > 0 { try writer.append(Self.leaves[count - 1]) }
        try writer.finish()
        let tree = TiledTree(path, count: Int64(count))
        #expect(try writer.head() == head(count))
        #expect(try tree.head() == head(count))
        // All pairs would be 180,000 proofs; at the edges of tiles each one is tried.
        let isEdge = [0, 1, 2, 255, 256, 257, 511, 512, 513, 600].contains(count)
        for other in Int64(0)..<Int64(count) where isEdge || (other + Int64(count)) % 97 == 0 {
          #expect(try tree.leaf(other) == Self.leaves[Int(other)])
          #expect(try tree.inclusion(of: other) == proof(inclusionPath(of: other, in: tree.count)))
          #expect(
            try tree.consistency(from: other) == proof(consistencyPath(from: other, to: tree.count))
          )
        }
      }
      #expect(try files(path) == ["tile/0/000", "tile/0/001", "tile/0/002.p/88", "tile/1/000.p/2"])
      // The smaller trees are in the tiles of the larger one.
      for count in 0...600 {
        #expect(try TiledTree(path, count: Int64(count)).head() == head(count))
      }
    }
  }

  @Test("A tree that grows in random steps has the same tiles, and those of a smaller tree stay.")
  func steps() throws {
    try withTemporaryFolder { folder in
      var random = SeededGenerator(for: "steps of tiles")
      for round in 0..<trials(8, long: 300) {
        let path = folder.path + "/\(round)"
        let kept = Int64.random(in: 0...700, using: &random)
        var count = 0
        while count < 700 {
          var writer = try TileWriter(TiledTree(path, count: Int64(count)))
          let next = min(700, count + Int.random(in: 0...300, using: &random))
          for leaf in Self.leaves[count..<next] { try writer.append(leaf) }
          try writer.finish(keeping: min(kept, Int64(next)))
          count = next
        }
        #expect(try TiledTree(path, count: 700).head() == head(700))
        #expect(try TiledTree(path, count: kept).head() == head(Int(kept)))
        let allowed: Set = [
          "tile/0/000", "tile/0/001", "tile/0/002.p/188", "tile/1/000.p/2",
          "tile/0/002.p/\(kept - 512)", "tile/1/000.p/1",
        ]
        #expect(try Set(files(path)).isSubset(of: allowed))
      }
    }
  }

  @Test("The partial tile of a smaller tree is kept as long as the smaller tree needs it.")
  func keptTile() throws {
    try withTemporaryFolder { folder in
      var last = 0
      let steps: [(Int, Int64, [String])] = [
        (5, 5, ["0/000.p/5"]), (9, 5, ["0/000.p/5", "0/000.p/9"]),
        (12, 9, ["0/000.p/12", "0/000.p/9"]),
        (300, 9, ["0/000", "0/001.p/44", "1/000.p/1"]),
        (310, 300, ["0/000", "0/001.p/44", "0/001.p/54", "1/000.p/1"]),
        (520, 310, ["0/000", "0/001", "0/002.p/8", "1/000.p/1", "1/000.p/2"]),
      ]
      for (count, kept, expected) in steps {
        var writer = try TileWriter(TiledTree(folder.path, count: Int64(last)))
        for leaf in Self.leaves[last..<count] { try writer.append(leaf) }
        try writer.finish(keeping: kept)
        last = count
        #expect(try TiledTree(folder.path, count: Int64(count)).head() == head(count))
        #expect(try TiledTree(folder.path, count: kept).head() == head(Int(kept)))
        #expect(try files(folder.path) == expected.map { "tile/\($0)" })
      }
    }
  }

  @Test("A tile that is missing, cut off or altered is noticed.")
  func damage() throws {
    try withTemporaryFolder { folder in
      let path = folder.path
      var writer = try TileWriter(TiledTree(path, count: 0))
      for leaf in Self.leaves.prefix(600) { try writer.append(leaf) }
      try writer.finish()
      for name in try files(path) {
        let file = URL(fileURLWithPath: "\(path)/\(name)")
        let bytes = try Data(contentsOf: file)
        func isNoticed() -> Bool {
          let tree = TiledTree(path, count: 600)
          guard let root = try? tree.head(), root == head(600) else { return true }
          return (0..<Int64(600)).contains { (try? tree.leaf($0)) != Self.leaves[Int($0)] }
        }
        for damaged in [Data(), bytes.dropLast(), bytes.dropLast(32), Data(count: bytes.count)] {
          try damaged.write(to: file)
          #expect(isNoticed(), "\(name)")
        }
        try FileManager.default.removeItem(at: file)
        #expect(isNoticed(), "\(name)")
        try bytes.write(to: file)
        #expect(!isNoticed())
      }
    }
  }

  @Test("Tiles have the names of c2sp.org/tlog-tiles.")
  func names() {
    #expect(Tile(level: "0", index: 0).path == "tile/0/000")
    #expect(Tile(level: "1", index: 67, width: 8).path == "tile/1/067.p/8")
    #expect(Tile(level: "entries", index: 1_234_067).path == "tile/entries/x001/x234/067")
    #expect(Tile(level: "2", index: 1000, width: 255).path == "tile/2/x001/000.p/255")
  }
}
