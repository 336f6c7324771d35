/// Computes the tree over the lines of a transaction, which arrive one after another.
package struct LineTree {
  private var tree = MerkleTree()
  private var salts: LineSalts
  /// A second tree, with the digests of the values that remain in lines with erased values; nil if
  /// no values were erased.
  private var remaining: MerkleTree?
  /// The digests of the values that remain in erased lines.
  private var restated: [RestatedLine] = []
  /// The lines of the last subtree that was left out.
  private var omitted: Range<Int64> = 0..<0
  private let count: Int64
  private var refusal: ProofError?

  /// Computes the tree of a transaction that has `count` lines.
  package init(count: Int64) {
    self.count = count
    salts = LineSalts(count: count)
  }

  /// Adds the next line.
  ///
  /// If the line is wrong, the function that ends the transaction throws the error.
  ///
  /// - Parameters:
  ///   - known: The bytes that stay known if the values are hidden.
  ///   - values: The bytes of the values.
  ///   - members: The part of the line that describes its leaf, in the form of ``LineLeaf``; may be
  ///     empty.
  package mutating func append(
    known: UnsafeRawBufferPointer,
    values: UnsafeRawBufferPointer,
    members: UnsafeRawBufferPointer
  ) {
    guard !members.isEmpty else { return append(known: known, values: values, leaf: nil) }
    guard let leaf = LineLeaf(members) else {
      refusal =
        refusal ?? ProofError("The leaf of a line does not have the required form")
      return
    }
    append(known: known, values: values, leaf: leaf)
  }

  /// Adds the next line, with the description of its leaf; nil if the line has no such description.
  package mutating func append(
    known: UnsafeRawBufferPointer,
    values: UnsafeRawBufferPointer,
    leaf: LineLeaf?
  ) {
    guard refusal == nil else { return }
    do throws(ProofError) {
      let salt: Seed
      switch leaf {
      case nil: salt = try salts.next()
      case .seed(let lines, let seed): salt = try salts.next(lines, seed)
      case .hidden(let digest, let restated):
        try salts.skip(1)
        let sequence = tree.count
        let hash = lineHash(known, values: digest)
        guard let restated else {
          tree.append(hash)
          remaining?.append(hash)
          return
        }
        if remaining == nil { remaining = tree }
        tree.append(hash)
        let left = valuesDigest(values, salt: restated)
        remaining?.append(lineHash(known, values: left))
        self.restated.append(RestatedLine(sequence: sequence, values: left))
        return
      }
      let hash = lineHash(known, values: valuesDigest(values, salt: salt))
      tree.append(hash)
      remaining?.append(hash)
    } catch {
      refusal = error
    }
  }

  /// Adds a subtree of lines that are left out, given the root of the subtree.
  package mutating func append(omitted root: Digest, lines: Int64) {
    guard refusal == nil else { return }
    let start = tree.count
    do throws(ProofError) {
      try salts.skip(lines)
      let range = start..<start + lines
      let both = omitted.lowerBound..<range.upperBound
      if !omitted.isEmpty, omitted.upperBound == start, both.isNode(ofLeaves: count),
        both.children.left == omitted
      {
        throw ProofError(
          "The lines that are left out before line \(range.upperBound) must be one subtree"
        )
      }
      omitted = range
      try tree.append(root, ofLeaves: lines)
      try remaining?.append(root, ofLeaves: lines)
    } catch {
      refusal = error
    }
  }

  /// Ends a transaction that is left out as a whole, and returns the digest of its body.
  ///
  /// `closing` is the closing line without the digest.
  ///
  /// - Throws: ``ProofError`` if the seeds in the lines are not the smallest possible set.
  package func body(_ closing: UnsafeRawBufferPointer) throws(ProofError) -> Digest {
    if let refusal { throw refusal }
    try salts.finish()
    return bodyDigest(lines: tree.root, closing: closing)
  }

  /// Ends the transaction.
  ///
  /// `closing` is the closing line without the digest.
  ///
  /// - Throws: ``ProofError`` if the seeds in the lines are not the smallest possible set.
  package func close(
    _ closing: UnsafeRawBufferPointer,
    after previous: Digest
  ) throws(ProofError) -> LineDigests {
    let body = try body(closing)
    return LineDigests(
      transaction: transactionDigest(after: previous, body: body),
      remaining: remaining.map {
        transactionDigest(after: previous, body: bodyDigest(lines: $0.root, closing: closing))
      },
      restated: restated
    )
  }
}

/// The digests that are computed from the lines of a transaction.
package struct LineDigests: Hashable, Sendable {
  package let transaction: Digest
  /// The lines digest: it covers the values that remain in erased lines; nil if no line is erased.
  ///
  /// A record beside the logs contains this digest, because the digest of the transaction does not
  /// cover these values.
  package let remaining: Digest?
  /// The values that remain in each erased line, which a later transaction may confirm.
  package let restated: [RestatedLine]

  package init(transaction: Digest, remaining: Digest? = nil, restated: [RestatedLine] = []) {
    self.transaction = transaction
    self.remaining = remaining
    self.restated = restated
  }
}
