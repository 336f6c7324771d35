/// The salts of a transaction's lines, computed from the seeds in some of the lines.
///
/// The seeds are those of the smallest set of subtrees that contains all lines except the lines
/// without a salt. The first line of each subtree contains its seed. Any other set is refused, so
/// there is only one text for each transaction.
package struct LineSalts: Sendable {
  private let count: Int64
  private var salts: Salts?
  /// The lines whose salts are derived from the last seed.
  private var covered: Range<Int64> = 0..<0
  private var index: Int64 = 0

  /// Computes the salts of a transaction that has `count` lines.
  package init(count: Int64) { self.count = count }

  /// Returns the salt of the next line, which has a seed for this line and the lines after it.
  package mutating func next(_ leaves: Int64, _ seed: Seed) throws(ProofError) -> Seed {
    let (end, isTooLarge) = index.addingReportingOverflow(Swift.max(leaves, 0))
    let range = index..<(isTooLarge ? index : end)
    guard salts == nil, range.isNode(ofLeaves: count) else {
      let lines = countText(Int(leaves), noun: "line")
      throw ProofError("Line \(index) of \(count) must not have a seed for \(lines)")
    }
    let both = covered.lowerBound..<end
    if !covered.isEmpty, covered.upperBound == index, both.isNode(ofLeaves: count),
      both.children.left == covered
    {
      throw ProofError(
        "Line \(index) of \(count) has a seed, but the seed of a larger subtree must cover it"
      )
    }
    covered = range
    salts = Salts(SeededRange(range, seed))
    return try next()
  }

  /// Returns the salt of the next line, which has no seed.
  package mutating func next() throws(ProofError) -> Seed {
    guard let salt = salts?.next() else {
      throw ProofError("Line \(index) of \(count) has neither a seed nor a digest of the values")
    }
    index += 1
    if index == covered.upperBound { salts = nil }
    return salt
  }

  /// Skips lines that have no salt.
  package mutating func skip(_ lines: Int64) throws(ProofError) {
    guard salts == nil else {
      throw ProofError("Line \(index) of \(count) has both a seed and a digest of the values")
    }
    guard lines >= 0, lines <= count - index else {
      throw ProofError("After \(index) of \(count) lines there can't be \(lines) more")
    }
    index += lines
  }

  /// Throws unless all lines of the transaction were read.
  package func finish() throws(ProofError) {
    guard index == count else {
      throw ProofError("The number of lines is \(index) instead of \(count)")
    }
  }
}
