import Changes
import Dispatch
import Glibc

/// A buffer of whole lines, on its way from the thread that fills it over those that make digests
/// to the one that reads lines.
///
/// What a thread writes is read by others when the group is done that it was written in.
final class Piece: @unchecked Sendable {
  /// What lines of the usual length are read into.
  static let usualRoom = 1_500_000
  /// What a piece may grow to while others are in memory too.
  static let largestRoom = 1 << 22

  /// Done when ``outcome`` and the lines are there.
  let filling = DispatchGroup()
  /// Done when the lines are in the file's digest.
  let hashing = DispatchGroup()
  /// Done when ``digests`` are there.
  let chaining = DispatchGroup()

  var outcome: Result<PieceSource.Outcome, any Error> = .success(.end)
  /// The digest of all lines of the file before the last one here, if that is the trailer.
  var trailerDigest: Digest?
  /// What the lines of each transaction give whose closing line is here; nil if its own digest is
  /// not where it should be.
  var digests: [Digest?] = []

  private(set) var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// How many bytes were read into it.
  var filled = 0
  /// How many of them are whole lines; what follows is left to the next piece.
  var count = 0

  deinit { free(memory.baseAddress) }

  /// The whole lines.
  var lines: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// What is still free.
  var room: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
  }

  /// Changes its size, and keeps what is in it; false if there is no memory.
  func resize(to size: Int) -> Bool {
    guard size != memory.count else { return true }
    guard let moved = realloc(memory.baseAddress, size) else { return false }
    memory = UnsafeMutableRawBufferPointer(start: moved, count: size)
    return true
  }

  /// Makes it empty, and gives back what a long line took.
  func removeAll() -> Bool {
    filled = 0
    count = 0
    return resize(to: Self.usualRoom)
  }

  /// Waits until no other thread looks at it.
  func wait() {
    filling.wait()
    hashing.wait()
    chaining.wait()
  }
}

extension UnsafeRawBufferPointer {
  /// Where the last line break is; found in debug builds as fast as in others.
  var lastLineBreak: Int? {
    var place = count
    while place > 0 {
      place -= 1
      if self[place] == 0x0a { return place }
    }
    return nil
  }
}
