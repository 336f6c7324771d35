/// Reads the lines of a transaction one after another, and collects the parts of a proof of one
/// line.
///
/// A proof needs at most a few dozen hashes, for any number of lines.
package struct ProvenLines: Sendable {
  private let change: Int64?
  private var salts: LineSalts
  private var index: Int64 = 0
  /// The subtrees beside the proven line, from the line's sibling up to the root; the whole tree if
  /// no line is proven.
  private let subtrees: [Range<Int64>]
  private var trees: [MerkleTree]
  private var proven: (line: [UInt8], salt: Seed?)?

  /// Collects a proof from a transaction that has `count` lines.
  ///
  /// `change` is the line to prove; if `change` is nil, the root over all lines is proven.
  package init(count: Int64, change: Int64?) {
    self.change = change
    salts = LineSalts(count: count)
    subtrees = change.map { inclusionPath(of: $0, in: count) } ?? [0..<count]
    trees = subtrees.map { _ in MerkleTree() }
  }

  /// Takes the next line, without its line feed.
  package mutating func take(_ bytes: [UInt8]) throws(ProofError) {
    let line = try CoveredLine(bytes)
    var salt: Seed?
    if line.valuesDigest != nil {
      try salts.skip(1)
    } else if let (lines, seed) = line.seed {
      salt = try salts.next(lines, seed)
    } else {
      salt = try salts.next()
    }
    if index == change {
      proven = (line.shown, salt)
    } else if let leaf = line.leaf(salt: salt),
      let place = subtrees.firstIndex(where: { $0.contains(index) })
    {
      trees[place].append(leaf)
    }
    index += 1
  }

  /// The part of the proof about the lines, which is complete after the last line was read.
  package func finish() throws(ProofError) -> TransactionProof.Lines {
    try salts.finish()
    let roots = trees.map(\.root)
    guard change != nil else { return .root(roots.first ?? MerkleTree().root) }
    guard let proven else {
      throw ProofError("The number of the line must be less than \(index), the number of lines")
    }
    return .one(proven.line, salt: proven.salt, path: roots)
  }
}
