/// The seeds of a transaction's lines when more of them are hidden; the lines come one after another.
package struct LineHiding<Hidden: IteratorProtocol<Int64>> {
  private var salts: LineSalts
  private var cover: SeedCover<Hidden>
  /// The subtree of the new cover that comes next.
  private var range: SeededRange?
  private var index: Int64 = 0

  /// Begins a transaction with this many lines, of which these are to be hidden, in ascending order.
  package init(count: Int64, hiding hidden: Hidden) {
    salts = LineSalts(count: count)
    cover = SeedCover([], hiding: hidden)
  }

  /// Takes lines that are left out.
  package mutating func skip(_ lines: Int64) throws(ProofError) {
    try salts.skip(lines)
    index += lines
  }

  /// Takes the next line, by what it says of its leaf.
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

/// What is known of the leaf of a line when values of it are to be hidden.
package struct LineSecret: Sendable {
  /// What the line says of its leaf if it is not hidden now.
  package let leaf: LineLeaf?
  /// Its salt; the restated one of an erased line, and nil if the line had none.
  private let salt: Seed?
  /// The digest of the values that a hidden line had.
  private let values: Digest?

  /// Describes a line, whose values have a digest if it is hidden already.
  package init(leaf: LineLeaf?, salt: Seed?, values: Digest?) {
    self.leaf = leaf
    self.salt = salt
    self.values = values
  }

  /// Whether the line is hidden already.
  package var isHidden: Bool { values != nil }

  /// The digest of the values that the change had at first.
  package func values(of change: Change) -> Digest? {
    values ?? salt.map { change.valuesDigest(salt: $0) }
  }

  /// What the line says of its leaf after values of the change were erased; nil if it has no salt.
  package func erased(_ change: Change) -> LineLeaf? {
    guard let salt else { return nil }
    return .hidden(values: values ?? change.valuesDigest(salt: salt), salt: salt.restated)
  }
}
