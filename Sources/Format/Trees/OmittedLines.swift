/// Collects consecutive omitted lines of a transaction into the smallest number of subtrees.
package struct OmittedLines: Sendable {
  private let count: Int64
  /// The lines and the root of each subtree, in order.
  package private(set) var subtrees: [(lines: Range<Int64>, root: Digest)] = []

  /// Creates an empty collection for a transaction that has `count` lines.
  package init(count: Int64) { self.count = count }

  package mutating func append(_ index: Int64, hash: Digest) {
    var last = (lines: index..<index + 1, root: hash)
    while let left = subtrees.last, left.lines.upperBound == last.lines.lowerBound {
      let both = left.lines.lowerBound..<last.lines.upperBound
      guard both.isNode(ofLeaves: count), both.children.left == left.lines else { break }
      last = (both, nodeHash(left.root, last.root))
      subtrees.removeLast()
    }
    subtrees.append(last)
  }

  /// Removes all subtrees, for the next group of consecutive omitted lines.
  package mutating func removeAll() { subtrees.removeAll(keepingCapacity: true) }
}
