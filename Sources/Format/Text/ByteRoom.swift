import Glibc

/// Memory for bytes that keep their addresses until all of them are released together.
final class ByteRoom {
  /// The size of a reusable piece of memory; a longer text gets a separate piece.
  private static let pieceSize = 1 << 18

  private var pieces: [UnsafeMutableRawBufferPointer] = []
  /// The index of the current piece, and the number of its used bytes.
  private var place = 0
  private var used = 0
  /// The number of bytes in use.
  private(set) var count = 0

  deinit {
    for piece in pieces { free(piece.baseAddress) }
  }

  /// Returns memory.
  ///
  /// The caller may return unused bytes of the memory to ``giveBack(_:)``.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/outOfMemory``.
  func take(_ size: Int) throws(StoreError) -> UnsafeMutableRawBufferPointer {
    while place < pieces.count, pieces[place].count - used < size {
      place += 1
      used = 0
    }
    if place == pieces.count {
      let wanted = max(size, Self.pieceSize)
      guard let memory = malloc(wanted) else {
        throw StoreError(.outOfMemory) {
          "There is not enough memory for a change of \(countText(size, noun: "byte"))."
        }
      }
      pieces.append(UnsafeMutableRawBufferPointer(start: memory, count: wanted))
    }
    defer {
      used += size
      count += size
    }
    return UnsafeMutableRawBufferPointer(rebasing: pieces[place][used..<used + size])
  }

  /// Releases the last bytes of the memory that was taken last.
  func giveBack(_ size: Int) {
    used -= size
    count -= size
  }

  func copy(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> UnsafeRawBufferPointer {
    guard !bytes.isEmpty else { return bytes }
    let room = try take(bytes.count)
    room.copyMemory(from: bytes)
    return UnsafeRawBufferPointer(room)
  }

  /// Releases all bytes, and frees the pieces of long texts.
  func removeAll() {
    place = 0
    used = 0
    count = 0
    pieces.removeAll { piece in
      guard piece.count > Self.pieceSize else { return false }
      free(piece.baseAddress)
      return true
    }
  }
}
