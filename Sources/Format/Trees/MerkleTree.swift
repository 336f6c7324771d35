/// The Merkle tree of RFC 6962 over leaves that arrive one after another.
///
/// The tree stores one hash for each complete subtree: at most 64 hashes for any number of leaves.
package struct MerkleTree: Hashable, Sendable {
  /// The number of leaves.
  package private(set) var count: Int64 = 0
  /// The roots of the largest complete subtrees, from left to right.
  private var subtrees: [Digest] = []
  /// Whether the last subtree is not full, which means that no leaf can follow.
  private var isComplete = false

  package init() {}

  package init(_ leaves: some Sequence<Digest>) {
    for leaf in leaves { append(leaf) }
  }

  package mutating func append(_ leaf: Digest) { merge(leaf, 1) }

  /// Appends a subtree, given its root.
  ///
  /// - Throws: ``ProofError`` if no tree can have a subtree of this size at this place.
  package mutating func append(_ root: Digest, ofLeaves leaves: Int64) throws(ProofError) {
    let isWhole = leaves > 0 && leaves & (leaves - 1) == 0 && count & (leaves - 1) == 0
    // Only the last subtree of a tree may have a number of leaves that is not a power of two.
    let isLast = leaves > 0 && (count == 0 || leaves < count & -count)
    guard !isComplete, isWhole || isLast, !count.addingReportingOverflow(leaves).overflow else {
      throw ProofError("A tree of size \(count) can't continue with a subtree of size \(leaves)")
    }
    if isWhole { return merge(root, leaves) }
    subtrees.append(root)
    count += leaves
    isComplete = true
  }

  private mutating func merge(_ root: Digest, _ leaves: Int64) {
    var hash = root
    var size = leaves
    while count & size != 0, let left = subtrees.popLast() {
      hash = nodeHash(left, hash)
      size <<= 1
    }
    subtrees.append(hash)
    count += leaves
  }

  /// The root of the tree.
  ///
  /// The root of a tree without leaves is the digest of no bytes.
  package var root: Digest {
    guard var hash = subtrees.last else { return SHA256.digest(of: []) }
    for left in subtrees.dropLast().reversed() { hash = nodeHash(left, hash) }
    return hash
  }
}

package func leafHash(_ bytes: UnsafeRawBufferPointer) -> Digest {
  MessageKind.leaf.digest(bytes)
}

package func leafHash(_ digest: Digest) -> Digest {
  MessageKind.leaf.digest(digest)
}

package func nodeHash(_ left: Digest, _ right: Digest) -> Digest {
  MessageKind.node.digest(left, right)
}

/// The number of leaves below the left child of a node with `count` leaves: the largest power of
/// two below `count`.
func leavesOfLeftChild(_ count: Int64) -> Int64 {
  1 << Int64(63 - (count - 1).leadingZeroBitCount)
}

extension Range<Int64> {
  /// The leaves below each of the two children of a node, which must have at least two leaves.
  var children: (left: Self, right: Self) {
    let middle = lowerBound + leavesOfLeftChild(upperBound - lowerBound)
    return (lowerBound..<middle, middle..<upperBound)
  }

  /// The nodes on the way from this node down to a leaf, including both.
  package func nodes(around leaf: Int64) -> some Sequence<Self> {
    sequence(first: self) { node in
      guard node.upperBound - node.lowerBound > 1 else { return nil }
      let (left, right) = node.children
      return leaf < left.upperBound ? left : right
    }
  }

  /// Whether a tree of `count` leaves has a node with exactly these leaves.
  func isNode(ofLeaves count: Int64) -> Bool {
    guard lowerBound >= 0, lowerBound < upperBound, upperBound <= count else { return false }
    var node = 0..<count
    while node != self, upperBound - lowerBound < node.upperBound - node.lowerBound {
      let (left, right) = node.children
      node = lowerBound < left.upperBound ? left : right
    }
    return node == self
  }
}
