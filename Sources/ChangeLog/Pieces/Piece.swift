import Dispatch
import Format
import Glibc

/// A buffer of complete lines.
///
/// The threads that decompress, compute digests and read lines use a piece one after another.
///
/// A thread may read what another thread wrote to a piece, after the other thread has left its
/// dispatch group.
final class Piece: @unchecked Sendable {
  /// The size in bytes of a piece with lines of usual length.
  static let usualRoom = 1_500_000
  /// The maximum size in bytes of a piece while other pieces are in memory.
  static let largestRoom = 1 << 22

  /// Waiting for this group ends when ``outcome`` and the lines are set.
  let filling = DispatchGroup()
  /// Waiting for this group ends when the digest of the file includes the lines.
  let hashing = DispatchGroup()
  /// Waiting for this group ends when ``digests`` are set.
  let chaining = DispatchGroup()

  var outcome: Result<PieceSource.Outcome, any Error> = .success(.end)
  /// The digest of all lines of the file before the trailer; nil unless the last line of this piece
  /// is the trailer.
  var trailerDigest: Digest?
  /// The digests of each transaction whose closing line is in this piece.
  var digests: [Result<LineDigests, Refusal>] = []

  private(set) var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// The number of bytes in the buffer.
  var filled = 0
  /// The number of bytes in complete lines; the bytes after them belong to the next piece.
  var count = 0

  deinit { free(memory.baseAddress) }

  var lines: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// The free memory at the end of the buffer.
  var room: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
  }

  /// Changes the size of the buffer and keeps its content; returns false if there is not enough
  /// memory.
  func resize(to size: Int) -> Bool {
    guard size != memory.count else { return true }
    guard let moved = realloc(memory.baseAddress, size) else { return false }
    memory = UnsafeMutableRawBufferPointer(start: moved, count: size)
    return true
  }

  /// Empties the piece, and frees the memory that a long line needed.
  func removeAll() -> Bool {
    filled = 0
    count = 0
    return resize(to: Self.usualRoom)
  }

  /// Removes complete lines from the beginning of the piece.
  func removeFirst(_ bytes: Int) {
    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[bytes..<filled]))
    filled -= bytes
    count -= bytes
  }

  /// Waits until no other thread uses the piece.
  func wait() {
    filling.wait()
    hashing.wait()
    chaining.wait()
  }
}

extension UnsafeRawBufferPointer {
  /// The offset of the last line break; this search is fast in debug builds too.
  var lastLineBreak: Int? {
    var place = count
    while place > 0 {
      place -= 1
      if self[place] == 0x0a { return place }
    }
    return nil
  }
}
