package struct ProofError: Error, Hashable, Sendable {
  package let message: String

  init(_ message: String) { self.message = message }
}

/// A tree, described by its number of leaves and its root.
package struct TreeHead: Hashable, Sendable {
  /// The number of leaves.
  package var count: Int64
  package var root: Digest

  package init(count: Int64, root: Digest) {
    self.count = count
    self.root = root
  }
}

/// The subtrees whose roots prove that a tree contains a leaf, from the leaf's sibling up to the
/// root of the tree.
package func inclusionPath(of index: Int64, in count: Int64) -> [Range<Int64>] {
  var path: [Range<Int64>] = []
  var node = 0..<count
  while node.count > 1 {
    let (left, right) = node.children
    let isLeft = index < left.upperBound
    path.append(isLeft ? right : left)
    node = isLeft ? left : right
  }
  return path.reversed()
}

/// The subtrees whose roots prove that a larger tree begins with a tree of `old` leaves.
///
/// The roots of the two trees are not part of the list.
package func consistencyPath(from old: Int64, to count: Int64) -> [Range<Int64>] {
  guard old > 0 else { return [] }
  var path: [Range<Int64>] = []
  var node = 0..<count
  while old < node.upperBound {
    let (left, right) = node.children
    let isLeft = old <= left.upperBound
    path.append(isLeft ? right : left)
    node = isLeft ? left : right
  }
  // A node that begins at 0 is the old tree, whose root the verifier has.
  if node.lowerBound > 0 { path.append(node) }
  return path.reversed()
}

/// The root that is computed from a leaf and its proof of inclusion.
///
/// - Throws: ``ProofError`` if the number of hashes is wrong for a leaf at this place of the tree.
package func inclusionRoot(
  of leaf: Digest,
  at index: Int64,
  in count: Int64,
  by proof: [Digest]
) throws(ProofError) -> Digest {
  guard index >= 0, index < count else {
    throw ProofError("A tree of size \(count) has no leaf \(index)")
  }
  let path = inclusionPath(of: index, in: count)
  try check(proof, path)
  var hash = leaf
  for (range, other) in zip(path, proof) {
    hash = range.lowerBound > index ? nodeHash(hash, other) : nodeHash(other, hash)
  }
  return hash
}

/// Checks a proof that a larger tree begins with a smaller tree.
///
/// - Throws: ``ProofError`` if the proof is wrong.
package func checkConsistency(
  from old: TreeHead,
  to new: TreeHead,
  by proof: [Digest]
) throws(ProofError) {
  guard old.count >= 0, old.count <= new.count else {
    throw ProofError("A tree of size \(new.count) can't begin with a tree of size \(old.count)")
  }
  let path = consistencyPath(from: old.count, to: new.count)
  try check(proof, path)
  guard old.count > 0 else {
    return try require(old.root == MerkleTree().root && (new.count > 0 || new.root == old.root))
  }
  var known = Array(zip(path, proof))[...]
  var before = old.root
  // If the larger tree has a node with exactly the leaves of the old tree, the proof leaves out the
  // old root.
  if let first = path.first, first.lowerBound < old.count {
    before = proof[0]
    known = known.dropFirst()
  }
  var after = before
  for (range, other) in known {
    if range.lowerBound >= old.count {
      after = nodeHash(after, other)
    } else {
      before = nodeHash(other, before)
      after = nodeHash(other, after)
    }
  }
  try require(before == old.root && after == new.root)
}

private func check(_ proof: [Digest], _ path: [Range<Int64>]) throws(ProofError) {
  guard proof.count == path.count else {
    throw ProofError("The number of hashes in the proof is \(proof.count) instead of \(path.count)")
  }
}

private func require(_ isConsistent: Bool) throws(ProofError) {
  guard isConsistent else {
    throw ProofError("The proof does not show that the newer tree begins with the older tree")
  }
}
