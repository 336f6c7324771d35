/// The kinds of short messages that trees and transactions hash.
///
/// The first byte of a message is its kind.
///
/// No two kinds have the same first byte, so the hash of one kind is never the hash of another
/// kind. RFC 6962 defines the first two kinds.
enum MessageKind: UInt8 {
  case leaf, node, seed, values, restatedSalt, body, transaction

  func digest(_ first: Digest, _ second: Digest) -> Digest {
    digest(first.words, second.words, 64, nothing)
  }

  func digest(_ first: Digest, _ more: UnsafeRawBufferPointer = nothing) -> Digest {
    digest(first.words, .zero, 32, more)
  }

  func digest(_ seed: Seed, _ more: UnsafeRawBufferPointer = nothing) -> Digest {
    digest(SIMD4(seed.first, seed.second, 0, 0), .zero, 16, more)
  }

  func digest(_ bytes: UnsafeRawBufferPointer) -> Digest { digest(.zero, .zero, 0, bytes) }

  private func digest(
    _ first: SIMD4<UInt64>,
    _ second: SIMD4<UInt64>,
    _ count: Int,
    _ more: UnsafeRawBufferPointer
  ) -> Digest {
    // The message is on the stack, because a million changes need the hashes of six million
    // messages.
    withUnsafeTemporaryAllocation(byteCount: 72, alignment: 8) { bytes in
      // The kind is in byte 7 of the buffer, so the words after it are aligned.
      bytes[7] = rawValue
      for index in 0..<4 {
        bytes.storeBytes(of: first[index].bigEndian, toByteOffset: 8 + 8 * index, as: UInt64.self)
        bytes.storeBytes(of: second[index].bigEndian, toByteOffset: 40 + 8 * index, as: UInt64.self)
      }
      return SHA256.digest(of: UnsafeRawBufferPointer(rebasing: bytes[7..<8 + count]), more)
    }
  }
}

private var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

extension Digest {
  /// The digest as words of eight bytes, each with its highest byte first.
  var words: SIMD4<UInt64> {
    // A digest consists of exactly four integers.
    withUnsafeBytes(of: self) { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
  }
}
