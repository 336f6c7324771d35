/// The digest of a transaction: SHA-256 over the digest before it and the bytes of its lines.
package struct TransactionDigest {
  private var hash = SHA256()
  /// Lines that are not hashed yet, because hashing many at once is faster.
  private var buffer: [UInt8] = []

  /// Starts with the digest of the transaction before.
  package init(after previous: Digest) { hash.update(previous.bytes) }

  /// The digest before the first transaction of a lineage.
  package static func beginning(ofStore identifier: String, lineage: Int64) -> Digest {
    SHA256.digest(of: Array("travelog/1 \(identifier) \(lineage)".utf8))
  }

  package mutating func take(_ change: Change, lines: TransactionLines) {
    lines.append(change, to: &buffer)
    if buffer.count > 1 << 16 { flush() }
  }

  package mutating func take(lines: UnsafeRawBufferPointer) {
    flush()
    hash.update(lines)
  }

  /// Hashes the closing line without its digest, and returns the digest.
  package mutating func close(_ lines: TransactionLines) -> Digest {
    lines.appendClosing(digest: nil, to: &buffer)
    flush()
    return hash.finish()
  }

  private mutating func flush() {
    hash.update(buffer)
    buffer.empty()
  }
}
