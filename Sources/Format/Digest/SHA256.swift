/// SHA-256 of a message that arrives in parts.
package struct SHA256: Sendable {
  private var crypto: CryptoSHA256?
  private var plain: PlainSHA256?

  package init() {
    crypto = CryptoSHA256()
    if crypto == nil { plain = PlainSHA256() }
  }

  /// The digest of a complete message, which is given in two parts.
  package static func digest(
    of bytes: UnsafeRawBufferPointer,
    _ more: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> Digest {
    if let digest = CryptoSHA256.digest(of: bytes, more) { return digest }
    var hash = PlainSHA256()
    hash.update(bytes)
    hash.update(more)
    return hash.finish()
  }

  package static func digest(of bytes: [UInt8]) -> Digest {
    bytes.withUnsafeBytes { digest(of: $0) }
  }

  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    crypto?.update(bytes)
    plain?.update(bytes)
  }

  /// The digest of all bytes added so far; more bytes may be added later.
  package func finish() -> Digest {
    crypto?.finish() ?? (plain ?? PlainSHA256()).finish()
  }
}

/// HMAC-SHA256 (RFC 2104).
///
/// Without the key, nobody can find the message by trying possible messages.
package func keyedDigest(of bytes: [UInt8], key: [UInt8]) -> Digest {
  let block = 64
  var padded = key.count > block ? Array(SHA256.digest(of: key).bytes) : key
  padded += [UInt8](repeating: 0, count: block - padded.count)
  var inner = SHA256()
  inner.update(padded.map { $0 ^ 0x36 })
  inner.update(bytes)
  var outer = SHA256()
  outer.update(padded.map { $0 ^ 0x5c })
  outer.update(Array(inner.finish().bytes))
  return outer.finish()
}
