import TestSupport
import Testing

@testable import Format

/// The hashes of `count` leaves, each of which has its number as its text.
func numberedLeaves(_ count: Int) -> [Digest] {
  (0..<count).map { index in Array("\(index)".utf8).withUnsafeBytes { leafHash($0) } }
}

/// The root as RFC 6962 defines it.
func definedRoot(_ leaves: ArraySlice<Digest>) -> Digest {
  guard leaves.count > 1 else { return leaves.first ?? SHA256.digest(of: []) }
  var middle = 1
  while 2 * middle < leaves.count { middle *= 2 }
  return nodeHash(definedRoot(leaves.prefix(middle)), definedRoot(leaves.dropFirst(middle)))
}

func proof(_ path: [Range<Int64>], _ leaves: [Digest]) -> [Digest] {
  path.map { MerkleTree(leaves[Int($0.lowerBound)..<Int($0.upperBound)]).root }
}

@Suite("Merkle trees")
struct MerkleTreeTests {
  private static let leaves = numberedLeaves(65)

  @Test("A tree of 0 to 65 leaves has the root that RFC 6962 defines.")
  func roots() {
    var tree = MerkleTree()
    for count in 0...65 {
      #expect(tree.count == count)
      #expect(tree.root == definedRoot(Self.leaves.prefix(count)))
      if count < 65 { tree.append(Self.leaves[count]) }
    }
  }

  @Test("A subtree is accepted only at a place and of a size that exist in such a tree.")
  func subtrees() throws {
    for count in 1...24 {
      let whole = definedRoot(Self.leaves.prefix(count))
      for start in 0..<count {
        for end in (start + 1)...count {
          let range = Int64(start)..<Int64(end)
          var tree = MerkleTree(Self.leaves[..<start])
          let root = definedRoot(Self.leaves[start..<end])
          // A partial subtree must be at the end of the tree.
          let isNode = range.isNode(ofLeaves: Int64(end)) || range.isNode(ofLeaves: Int64(count))
          guard isNode else {
            #expect(throws: ProofError.self) { try tree.append(root, ofLeaves: Int64(end - start)) }
            continue
          }
          try tree.append(root, ofLeaves: Int64(end - start))
          guard range.isNode(ofLeaves: Int64(count)) else { continue }
          if (end - start).nonzeroBitCount == 1 {
            for leaf in Self.leaves[end..<count] { tree.append(leaf) }
          }
          #expect(tree.root == whole && tree.count == Int64(count))
        }
      }
    }
    for wrong in [0, -1, .min, .max] as [Int64] {
      var tree = MerkleTree(Self.leaves.prefix(3))
      #expect(throws: ProofError.self) { try tree.append(Self.leaves[0], ofLeaves: wrong) }
    }
  }

  @Test("A partial subtree at the end of a tree can't be followed by another one.")
  func complete() throws {
    var tree = MerkleTree(Self.leaves.prefix(4))
    try tree.append(Self.leaves[0], ofLeaves: 3)
    #expect(throws: ProofError.self) { try tree.append(Self.leaves[0], ofLeaves: 1) }
  }

  @Test("Each leaf of a tree of up to 64 leaves has a proof, and no altered proof is accepted.")
  func inclusion() throws {
    for count in 1...64 {
      let whole = MerkleTree(Self.leaves.prefix(count)).root
      for index in 0..<count {
        let hashes = proof(inclusionPath(of: Int64(index), in: Int64(count)), Self.leaves)
        func reaches(_ leaf: Int, _ place: Int, _ size: Int, _ hashes: [Digest]) -> Bool {
          (try? inclusionRoot(
            of: Self.leaves[leaf],
            at: Int64(place),
            in: Int64(size),
            by: hashes
          )) == whole
        }
        #expect(reaches(index, index, count, hashes))
        #expect(!reaches(index + 1, index, count, hashes))
        for place in -1...count where place != index {
          #expect(!reaches(index, place, count, hashes))
        }
        #expect(!reaches(index, index, count, hashes + [whole]))
        for place in hashes.indices {
          var wrong = hashes
          wrong[place] = leafHash(wrong[place])
          #expect(!reaches(index, index, count, wrong))
          wrong.remove(at: place)
          #expect(!reaches(index, index, count, wrong))
        }
      }
    }
  }

  @Test("Each tree of up to 64 leaves extends every smaller one, and no altered proof is accepted.")
  func consistency() throws {
    let heads = (0...64).map {
      TreeHead(count: Int64($0), root: MerkleTree(Self.leaves.prefix($0)).root)
    }
    for (count, new) in heads.enumerated() {
      for old in heads[...count] {
        let hashes = proof(consistencyPath(from: old.count, to: new.count), Self.leaves)
        func holds(_ old: TreeHead, _ new: TreeHead, _ hashes: [Digest]) -> Bool {
          (try? checkConsistency(from: old, to: new, by: hashes)) != nil
        }
        #expect(holds(old, new, hashes))
        var other = old
        other.root = leafHash(old.root)
        #expect(!holds(other, new, hashes))
        other = new
        other.root = leafHash(new.root)
        #expect(!holds(old, other, hashes) || old.count == 0 && new.count > 0)
        if old.count < new.count { #expect(!holds(new, old, hashes)) }
        #expect(!holds(old, new, hashes + [new.root]))
        for place in hashes.indices {
          var wrong = hashes
          wrong[place] = leafHash(wrong[place])
          #expect(!holds(old, new, wrong))
          wrong.remove(at: place)
          #expect(!holds(old, new, wrong))
        }
      }
    }
    let negative = TreeHead(count: -1, root: heads[0].root)
    #expect(throws: ProofError.self) { try checkConsistency(from: negative, to: heads[3], by: []) }
  }

  @Test("The subtrees of an inclusion proof and its leaf contain all leaves of the tree.")
  func largePaths() throws {
    var generator = SeededGenerator(for: "paths of large trees")
    for _ in 0..<2000 {
      let count = Int64.random(
        in: 1...(1 << Int64.random(in: 0...61, using: &generator)),
        using: &generator
      )
      let index = Int64.random(in: 0..<count, using: &generator)
      let path = inclusionPath(of: index, in: count)
      let ranges = (path + [index..<index + 1]).sorted { $0.lowerBound < $1.lowerBound }
      #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == count)
      for (left, right) in zip(ranges, ranges.dropFirst()) {
        #expect(left.upperBound == right.lowerBound)
      }
      let old = Int64.random(in: 1...count, using: &generator)
      for range in path { #expect(range.isNode(ofLeaves: count) && !range.contains(index)) }
      for range in consistencyPath(from: old, to: count) {
        #expect(range.isNode(ofLeaves: count))
        #expect(range.upperBound <= old || range.lowerBound >= old)
      }
    }
  }
}
