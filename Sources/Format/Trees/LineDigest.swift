// These functions define which bytes each digest covers. The reasons are in docs/decisions/0004.

/// The digest of the values of a line.
///
/// Without the salt, nobody can find the values by trying possible values.
package func valuesDigest(_ values: UnsafeRawBufferPointer, salt: Seed) -> Digest {
  MessageKind.values.digest(salt, values)
}

/// The hash of a line in the tree of its transaction.
///
/// The leaf of a line covers two things: the bytes that remain known when the values are hidden,
/// and the digest of the values.
package func lineHash(_ known: UnsafeRawBufferPointer, values: Digest) -> Digest {
  MessageKind.leaf.digest(SHA256.digest(of: known), values)
}

/// The part of a transaction's digest that does not depend on the digest before it.
///
/// The body of a transaction consists of two parts: the root of the tree over its lines, and the
/// closing line without the digest.
package func bodyDigest(lines: Digest, closing: UnsafeRawBufferPointer) -> Digest {
  MessageKind.body.digest(lines, closing)
}

package func transactionDigest(after previous: Digest, body: Digest) -> Digest {
  MessageKind.transaction.digest(previous, body)
}
