/// Fills pieces with the lines of a file, one piece after another.
///
/// Only one thread at a time may use a source of pieces: the thread that reads ahead, or the
/// reading thread while no thread reads ahead.
final class PieceSource: @unchecked Sendable {
  enum Outcome {
    case lines
    /// The file has no more lines.
    case end
    /// A line needs more memory than is allowed while other pieces exist.
    case crowded
    /// The file ends in the middle of a line.
    case cut
  }

  private let reader: GzipReader
  private let path: String
  /// The bytes after the last complete line of the last piece.
  private var rest: [UInt8] = []
  /// Whether a piece needs more memory before any other piece can be filled.
  private var isCrowded = false

  init(_ reader: GzipReader, path: String) {
    self.reader = reader
    self.path = path
  }

  var bytesRead: Int64 { reader.bytesRead }

  /// See ``GzipReader/firstLine()``.
  func firstLine() -> [UInt8]? { reader.firstLine() }

  /// Whether all lines of the file were returned.
  var isFinished: Bool { reader.isFinished && rest.isEmpty }

  func refill(_ piece: Piece) throws -> Outcome {
    guard !isCrowded else { return .crowded }
    guard piece.removeAll() else { throw outOfMemory(path) }
    rest.withUnsafeBytes { piece.room.copyMemory(from: $0) }
    piece.filled = rest.count
    rest.removeAll(keepingCapacity: true)
    return try fill(piece, upTo: Piece.largestRoom)
  }

  /// Continues to fill a piece, whose size may grow up to a limit.
  func fill(_ piece: Piece, upTo limit: Int) throws -> Outcome {
    isCrowded = false
    while true {
      if piece.room.isEmpty {
        guard piece.memory.count < limit else {
          isCrowded = true
          return .crowded
        }
        let size = piece.memory.count < Piece.largestRoom ? Piece.largestRoom : limit
        guard piece.resize(to: size) else { throw outOfMemory(path) }
      }
      let start = piece.filled
      // A piece that has grown is filled in small steps, to keep the number of bytes after its long
      // line small.
      let room = piece.room.prefix(start < Piece.usualRoom ? .max : 1 << 20)
      let count = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: room))
      guard count > 0 else { return piece.filled == 0 ? .end : .cut }
      piece.filled += count
      let read = UnsafeRawBufferPointer(rebasing: piece.memory[start..<piece.filled])
      guard let last = read.lastLineBreak else { continue }
      piece.count = start + last + 1
      rest.append(contentsOf: piece.memory[piece.count..<piece.filled])
      return .lines
    }
  }
}
