import Changes
import Dispatch

/// The digest of a file's bytes, which a thread of its own makes while they are compressed.
final class LogDigest: @unchecked Sendable {
  // Only the queue touches it.
  private var hash = SHA256()
  private let queue = DispatchQueue(label: "travelog.digest")

  /// Takes in a block.
  func append(_ block: [UInt8]) {
    queue.async { self.hash.update(block) }
  }

  /// The digest of all blocks.
  func finish() -> Digest { queue.sync { hash.finish() } }
}
