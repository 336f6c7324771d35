/// Computes the seeds that remain in a transaction's lines when more lines are hidden.
package struct LineHiding<Hidden: IteratorProtocol<Int64>> {
  private var salts: LineSalts
  private var cover: SeedCover<Hidden>
  /// The next subtree that gets a seed.
  private var range: SeededRange?
  private var index: Int64 = 0

  /// Hides lines of a transaction that has `count` lines.
  ///
  /// `hidden` returns the lines to hide, in ascending order.
  package init(count: Int64, hiding hidden: Hidden) {
    salts = LineSalts(count: count)
    cover = SeedCover([], hiding: hidden)
  }

  /// Skips lines that are left out.
  package mutating func skip(_ lines: Int64) throws(ProofError) {
    try salts.skip(lines)
    index += lines
  }

  /// Returns the new leaf of the next line, computed from its present leaf.
  package mutating func next(_ leaf: LineLeaf?) throws(ProofError) -> LineSecret {
    defer { index += 1 }
    let salt: Seed
    switch leaf {
    case nil: salt = try salts.next()
    case .seed(let lines, let seed):
      salt = try salts.next(lines, seed)
      cover.append(SeededRange(index..<index + lines, seed))
    case .hidden(let values, let salt):
      try salts.skip(1)
      return LineSecret(leaf: leaf, salt: salt, values: values)
    }
    if range == nil { range = cover.next() }
    guard let range, range.leaves.lowerBound == index else {
      return LineSecret(leaf: nil, salt: salt, values: nil)
    }
    self.range = nil
    let lines = range.leaves.upperBound - range.leaves.lowerBound
    return LineSecret(leaf: .seed(lines: lines, range.seed), salt: salt, values: nil)
  }
}

/// The parts of a line's leaf that are needed to hide values of the line.
package struct LineSecret: Sendable {
  /// The description of the leaf in the new line, for a line that does not get hidden.
  package let leaf: LineLeaf?
  /// The salt of the line, or the restated salt of an erased line; nil if the line has no salt.
  private let salt: Seed?
  /// The digest of the values that a hidden line had before it was hidden.
  private let values: Digest?

  /// Describes a line.
  ///
  /// If the line was hidden before, `values` is the digest of its earlier values.
  package init(leaf: LineLeaf?, salt: Seed?, values: Digest?) {
    self.leaf = leaf
    self.salt = salt
    self.values = values
  }

  /// Whether the line was hidden before.
  package var isHidden: Bool { values != nil }

  /// The digest of the values that the change had before any of them was erased.
  package func values(of change: Change) -> Digest? {
    values ?? salt.map { change.valuesDigest(salt: $0) }
  }

  /// The leaf of the line after values of the change were erased; nil if the line has no salt.
  package func erased(_ change: Change) -> LineLeaf? {
    guard let salt else { return nil }
    return .hidden(values: values ?? change.valuesDigest(salt: salt), salt: salt.restated)
  }
}
