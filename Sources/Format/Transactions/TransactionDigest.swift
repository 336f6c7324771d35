/// Computes the digest of a transaction from its changes.
///
/// The digest covers the same bytes as the lines of logs.
package struct TransactionDigest {
  private let previous: Digest
  private let seed: LineLeaf?
  private var tree: LineTree
  private var buffer: [UInt8] = []

  /// Begins with what is known before the changes are read: the previous transaction's digest, the
  /// number of changes, and the seed.
  package init(_ transaction: Transaction, after previous: Digest) {
    self.previous = previous
    seed = transaction.seed.map { .seed(lines: transaction.count, $0) }
    tree = LineTree(count: transaction.count)
  }

  /// The digest before the first transaction of a lineage.
  package static func beginning(ofStore identifier: String, lineage: Int64) -> Digest {
    SHA256.digest(of: Array("travelog/1 \(identifier) \(lineage)".utf8))
  }

  package mutating func take(_ change: Change) {
    buffer.empty()
    let end = TransactionLines.appendParts(of: change, to: &buffer)
    let seed = change.leaf.isEmpty && change.sequence == 0 ? seed : nil
    buffer.withUnsafeBytes { bytes in
      let known = UnsafeRawBufferPointer(rebasing: bytes[..<end])
      let values = UnsafeRawBufferPointer(rebasing: bytes[end...])
      if let seed {
        tree.append(known: known, values: values, leaf: seed)
      } else {
        tree.append(known: known, values: values, members: change.leaf)
      }
    }
  }

  /// Adds the closing line without its digest, and returns the digest of the transaction.
  ///
  /// - Throws: ``ProofError`` if the seeds in the lines are not the smallest possible set.
  package func close(_ lines: TransactionLines) throws(ProofError) -> LineDigests {
    try withClosing(lines) { closing throws(ProofError) in try tree.close(closing, after: previous)
    }
  }

  /// Adds the closing line of a transaction that is left out as a whole, and returns the digest of
  /// the transaction's body.
  package func body(_ lines: TransactionLines) throws(ProofError) -> Digest {
    try withClosing(lines) { closing throws(ProofError) in try tree.body(closing) }
  }

  private func withClosing<Value>(
    _ lines: TransactionLines,
    _ body: (UnsafeRawBufferPointer) throws(ProofError) -> Value
  ) throws(ProofError) -> Value {
    var buffer: [UInt8] = []
    lines.appendClosing(digest: nil, to: &buffer)
    return try buffer.withUnsafeBytes { closing in
      Result { () throws(ProofError) in try body(closing) }
    }.get()
  }
}

extension Change {
  /// The digest of the values.
  ///
  /// Without the salt, nobody can find the values by trying possible values.
  package func valuesDigest(salt: Seed) -> Digest {
    withParts { _, values in Format.valuesDigest(values, salt: salt) }
  }

  package func lineHash(values: Digest) -> Digest {
    withParts { known, _ in Format.lineHash(known, values: values) }
  }

  private func withParts(
    _ body: (_ known: UnsafeRawBufferPointer, _ values: UnsafeRawBufferPointer) -> Digest
  ) -> Digest {
    var buffer: [UInt8] = []
    let end = TransactionLines.appendParts(of: self, to: &buffer)
    return buffer.withUnsafeBytes { bytes in
      body(
        UnsafeRawBufferPointer(rebasing: bytes[..<end]),
        UnsafeRawBufferPointer(rebasing: bytes[end...])
      )
    }
  }
}
