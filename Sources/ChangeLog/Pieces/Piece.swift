import Changes
import Dispatch
import Glibc

/// A buffer of whole lines, which the threads that decompress, compute digests and read lines use
/// in turn.
///
/// Other threads may read what a thread wrote after the thread has left its group.
final class Piece: @unchecked Sendable {
  /// The size for lines of usual length.
  static let usualRoom = 1_500_000
  /// The maximum size while other pieces are in memory.
  static let largestRoom = 1 << 22

  /// Done when ``outcome`` and the lines are set.
  let filling = DispatchGroup()
  /// Done when the file's digest includes the lines.
  let hashing = DispatchGroup()
  /// Done when ``digests`` are set.
  let chaining = DispatchGroup()

  var outcome: Result<PieceSource.Outcome, any Error> = .success(.end)
  /// The digest of all lines of the file before the trailer, if the last line of this piece is the trailer.
  var trailerDigest: Digest?
  /// The digests of each transaction whose closing line is in this piece.
  var digests: [Result<LineDigests, Refusal>] = []

  private(set) var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// The number of bytes in the buffer.
  var filled = 0
  /// The number of bytes in whole lines; the rest is for the next piece.
  var count = 0

  deinit { free(memory.baseAddress) }

  var lines: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// The free memory.
  var room: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
  }

  /// Changes the size and keeps the content; false if there is no memory.
  func resize(to size: Int) -> Bool {
    guard size != memory.count else { return true }
    guard let moved = realloc(memory.baseAddress, size) else { return false }
    memory = UnsafeMutableRawBufferPointer(start: moved, count: size)
    return true
  }

  /// Empties the piece, and frees the memory of a long line.
  func removeAll() -> Bool {
    filled = 0
    count = 0
    return resize(to: Self.usualRoom)
  }

  /// Waits until no other thread uses it.
  func wait() {
    filling.wait()
    hashing.wait()
    chaining.wait()
  }
}

extension UnsafeRawBufferPointer {
  /// The last line break; also fast in debug builds.
  var lastLineBreak: Int? {
    var place = count
    while place > 0 {
      place -= 1
      if self[place] == 0x0a { return place }
    }
    return nil
  }
}
