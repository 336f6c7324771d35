/// Computes the seeds that remain in a transaction's lines when more lines are hidden.
package struct LineHiding<Hidden: IteratorProtocol<Int64>> {
  private var salts: LineSalts
  private var cover: SeedCover<Hidden>
  /// The next subtree of the new cover.
  private var range: SeededRange?
  private var index: Int64 = 0

  /// Starts a transaction with this many lines; `hidden` has the lines to hide in ascending order.
  package init(count: Int64, hiding hidden: Hidden) {
    salts = LineSalts(count: count)
    cover = SeedCover([], hiding: hidden)
  }

  /// Skips lines that are left out.
  package mutating func skip(_ lines: Int64) throws(ProofError) {
    try salts.skip(lines)
    index += lines
  }

  /// Returns the new members of the next line, computed from its present members.
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
  /// The members of the line if it is not hidden now.
  package let leaf: LineLeaf?
  /// The salt of the line: for an erased line the restated salt; nil if the line has no salt.
  private let salt: Seed?
  /// The digest of the values that a hidden line had before.
  private let values: Digest?

  /// Describes a line; a line that is hidden already has a digest of its values.
  package init(leaf: LineLeaf?, salt: Seed?, values: Digest?) {
    self.leaf = leaf
    self.salt = salt
    self.values = values
  }

  /// Whether the line is hidden already.
  package var isHidden: Bool { values != nil }

  /// The digest of the values that the change had before anything was erased.
  package func values(of change: Change) -> Digest? {
    values ?? salt.map { change.valuesDigest(salt: $0) }
  }

  /// The members of the line after values of the change were erased; nil if it has no salt.
  package func erased(_ change: Change) -> LineLeaf? {
    guard let salt else { return nil }
    return .hidden(values: values ?? change.valuesDigest(salt: salt), salt: salt.restated)
  }
}
