/// The salts of a transaction's lines, computed from the seeds in some of the lines.
///
/// A line has a seed if the smallest cover of the lines with a salt has a subtree that begins
/// there. Any other cover is refused, because a transaction has only one text.
package struct LineSalts: Sendable {
  private let count: Int64
  private var salts: Salts?
  /// The lines of the subtree of the last seed.
  private var covered: Range<Int64> = 0..<0
  /// The index of the next line.
  private var index: Int64 = 0

  /// Begins a transaction with this many lines.
  package init(count: Int64) { self.count = count }

  /// Returns the salt of the next line, which has a seed for this many lines.
  package mutating func next(_ leaves: Int64, _ seed: Seed) throws(ProofError) -> Seed {
    let (end, isTooLarge) = index.addingReportingOverflow(Swift.max(leaves, 0))
    let range = index..<(isTooLarge ? index : end)
    guard salts == nil, range.isNode(ofLeaves: count) else {
      throw ProofError("Line \(index) of \(count) has a seed for \(leaves) lines, and none is due")
    }
    let both = covered.lowerBound..<end
    if !covered.isEmpty, covered.upperBound == index, both.isNode(ofLeaves: count),
      both.children.left == covered
    {
      throw ProofError(
        "Line \(index) of \(count) has a seed that follows from one for two subtrees"
      )
    }
    covered = range
    salts = Salts(SeededRange(range, seed))
    return try next()
  }

  /// Returns the salt of the next line, which has no seed.
  package mutating func next() throws(ProofError) -> Seed {
    guard let salt = salts?.next() else {
      throw ProofError("Line \(index) of \(count) has no seed and no digest of its values")
    }
    index += 1
    if index == covered.upperBound { salts = nil }
    return salt
  }

  /// Skips lines that have no salt.
  package mutating func skip(_ lines: Int64) throws(ProofError) {
    guard salts == nil else {
      throw ProofError("Line \(index) of \(count) has a seed, and the digest of its values too")
    }
    guard lines >= 0, lines <= count - index else {
      throw ProofError("\(lines) lines after line \(index) are more than \(count)")
    }
    index += lines
  }

  /// Ends the transaction.
  package func finish() throws(ProofError) {
    guard index == count else {
      throw ProofError("There are \(index) lines, and should be \(count)")
    }
  }
}
