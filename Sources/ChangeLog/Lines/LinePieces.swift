import Glibc
import Store

/// A buffer of whole lines; one thread has it at a time, and hands it on.
final class Piece: @unchecked Sendable {
  /// What lines of the usual length are read into.
  static let usualRoom = 1_500_000
  /// What a piece may grow to while another one is in memory too.
  static let largestRoom = 1 << 22

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

  /// Changes its size, and keeps what is in it; false where there is no memory.
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
}

/// Fills pieces with the lines of a file, and makes the digest of the lines that were read.
///
/// One thread uses it at a time: the one that reads lines, or the one that works ahead for it.
final class LinePieces: @unchecked Sendable {
  /// How filling a piece ended.
  enum Outcome {
    /// There are lines in it.
    case lines
    /// There is nothing more.
    case end
    /// A line needs more room than there is.
    case crowded
    /// The file ends in the middle of a line.
    case cut
  }

  private let reader: GzipReader
  private let path: String
  private var rest: [UInt8] = []
  private var hash = SHA256()

  init(_ reader: GzipReader, path: String) {
    self.reader = reader
    self.path = path
  }

  /// True when nothing more will come.
  var isFinished: Bool { reader.isFinished && rest.isEmpty }

  /// Takes lines into the digest that were read to their end.
  func digest(_ lines: UnsafeRawBufferPointer) { hash.update(lines) }

  /// The digest of all lines so far.
  func digest() -> Digest { hash.finish() }

  /// Fills a piece anew.
  func refill(_ piece: Piece) throws -> Outcome {
    guard piece.removeAll() else { throw LogError.memory(path) }
    rest.withUnsafeBytes { piece.room.copyMemory(from: $0) }
    piece.filled = rest.count
    rest.removeAll(keepingCapacity: true)
    return try fill(piece, upTo: Piece.largestRoom)
  }

  /// Goes on to fill a piece, which may grow to so many bytes.
  func fill(_ piece: Piece, upTo limit: Int) throws -> Outcome {
    while true {
      if piece.room.isEmpty {
        guard piece.memory.count < limit else { return .crowded }
        let size = piece.memory.count < Piece.largestRoom ? Piece.largestRoom : limit
        guard piece.resize(to: size) else { throw LogError.memory(path) }
      }
      let start = piece.filled
      // In small steps once it has grown, so that little is left over after the line.
      let room = piece.room.prefix(start < Piece.usualRoom ? .max : 1 << 20)
      let read = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: room))
      guard read > 0 else { return piece.filled == 0 ? .end : .cut }
      piece.filled += read
      guard let last = piece.memory[start..<piece.filled].lastIndex(of: 0x0a) else { continue }
      piece.count = last + 1
      rest.append(contentsOf: piece.memory[piece.count..<piece.filled])
      return .lines
    }
  }
}
