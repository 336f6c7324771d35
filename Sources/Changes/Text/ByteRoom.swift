import Glibc

/// Memory for bytes that keep their place until all of them are forgotten at once.
final class ByteRoom {
  /// What is kept for the next time; a longer text gets a piece of its own.
  private static let pieceSize = 1 << 18

  private var pieces: [UnsafeMutableRawBufferPointer] = []
  /// The piece that is being filled, and how far.
  private var place = 0
  private var used = 0
  /// How many bytes are in use.
  private(set) var count = 0

  deinit {
    for piece in pieces { free(piece.baseAddress) }
  }

  /// Gives room for some bytes, of which ``giveBack(_:)`` may take the rest.
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
        throw StoreError(ValueFailure.outOfMemory(bytes: size))
      }
      pieces.append(UnsafeMutableRawBufferPointer(start: memory, count: wanted))
    }
    defer {
      used += size
      count += size
    }
    return UnsafeMutableRawBufferPointer(rebasing: pieces[place][used..<used + size])
  }

  /// Takes back the last bytes of what was given last.
  func giveBack(_ size: Int) {
    used -= size
    count -= size
  }

  /// Copies some bytes.
  func copy(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> UnsafeRawBufferPointer {
    guard !bytes.isEmpty else { return bytes }
    let room = try take(bytes.count)
    room.copyMemory(from: bytes)
    return UnsafeRawBufferPointer(room)
  }

  /// Forgets all bytes, and gives back what long texts took.
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
