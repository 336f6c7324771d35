/// Fills pieces with the lines of a file, one after the other.
///
/// One thread uses it at a time: the one that works ahead, or while that rests, the reader of lines.
final class PieceSource: @unchecked Sendable {
  /// How filling a piece ended.
  enum Outcome {
    /// There are lines in it.
    case lines
    /// There is nothing more.
    case end
    /// A line needs more room than there is while other pieces are in memory.
    case crowded
    /// The file ends in the middle of a line.
    case cut
  }

  private let reader: GzipReader
  private let path: String
  /// What the last piece had after its last line.
  private var rest: [UInt8] = []
  /// True while a piece waits for more room, before which no other can be filled.
  private var isCrowded = false

  init(_ reader: GzipReader, path: String) {
    self.reader = reader
    self.path = path
  }

  /// How many bytes were taken from the file.
  var bytesRead: Int64 { reader.bytesRead }

  /// True when nothing more will come.
  var isFinished: Bool { reader.isFinished && rest.isEmpty }

  /// Fills a piece anew.
  func refill(_ piece: Piece) throws -> Outcome {
    guard !isCrowded else { return .crowded }
    guard piece.removeAll() else { throw LogFailure.outOfMemory.at(path) }
    rest.withUnsafeBytes { piece.room.copyMemory(from: $0) }
    piece.filled = rest.count
    rest.removeAll(keepingCapacity: true)
    return try fill(piece, upTo: Piece.largestRoom)
  }

  /// Goes on to fill a piece, which may grow to so many bytes.
  func fill(_ piece: Piece, upTo limit: Int) throws -> Outcome {
    isCrowded = false
    while true {
      if piece.room.isEmpty {
        guard piece.memory.count < limit else {
          isCrowded = true
          return .crowded
        }
        let size = piece.memory.count < Piece.largestRoom ? Piece.largestRoom : limit
        guard piece.resize(to: size) else { throw LogFailure.outOfMemory.at(path) }
      }
      let start = piece.filled
      // In small steps once it has grown, so that little is left over after the line.
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
