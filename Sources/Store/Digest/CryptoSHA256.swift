#if CRYPTO
import CCrypto

/// SHA-256 by libcrypto, which knows the processor's own instructions for it.
struct CryptoSHA256: Sendable {
  private var context = SHA256_CTX()

  init() { SHA256_Init(&context) }

  /// Takes in more bytes.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    SHA256_Update(&context, bytes.baseAddress, bytes.count)
  }

  /// The digest of all bytes so far; more may follow all the same.
  func finish() -> Digest {
    // None of these functions fails with a digest of this length.
    var last = context
    return withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { bytes in
      SHA256_Final(bytes.bindMemory(to: UInt8.self).baseAddress, &last)
      return Digest(UnsafeRawBufferPointer(bytes), at: 0)
    }
  }
}
#endif
