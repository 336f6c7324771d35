import Changes
import Testing

@testable import ChangeLog

@Suite("Filling buffers with whole lines")
struct PieceSourceTests {
  @Test(
    "Buffers that are filled one after the other contain whole lines and all bytes of the file."
  )
  func wholeLines() throws {
    let blocks = [
      Array("a\nb".utf8) + padding, Array("c\n".utf8) + padding + [0x0a], Array("d\ne\n".utf8),
    ]
    try withGzipFile(blocks) { reader, path in
      let source = PieceSource(reader, path: path)
      let pieces = [Piece(), Piece()]
      var text: [UInt8] = []
      var count = 0
      while try source.refill(pieces[count % 2]) == .lines {
        let lines = pieces[count % 2].lines
        #expect(lines.last == 0x0a)
        text += lines
        count += 1
      }
      #expect(text == blocks.flatMap(\.self))
      #expect(source.isFinished)
      #expect(try source.refill(Piece()) == .end)
    }
  }

  @Test("A line that is longer than a buffer stops the source until that buffer has more room.")
  func crowded() throws {
    let long = [UInt8](repeating: 0x61, count: Piece.largestRoom) + Array("\nnext\n".utf8)
    try withGzipFile([long]) { reader, path in
      let source = PieceSource(reader, path: path)
      let piece = Piece()
      #expect(try source.refill(piece) == .crowded)
      #expect(try source.refill(Piece()) == .crowded)
      #expect(try source.fill(piece, upTo: LineBuffer.longestLine) == .lines)
      var text = Array(piece.lines)
      while try source.refill(piece) == .lines { text += piece.lines }
      #expect(text == long)
      #expect(piece.memory.count == Piece.usualRoom)
    }
  }

  @Test("A line that is longer than the limit is not read.")
  func limit() throws {
    try withGzipFile([padding]) { reader, path in
      let source = PieceSource(reader, path: path)
      let piece = Piece()
      #expect(piece.resize(to: 1_000))
      let outcome = try source.fill(piece, upTo: 1_000)
      #expect(outcome == .crowded)
    }
  }

  @Test("A file without a final line break is incomplete, whether or not whole lines come before.")
  func cut() throws {
    for (text, count) in [("abc", 0), ("a\nbc", 1)] {
      try withGzipFile([Array(text.utf8)]) { reader, path in
        let source = PieceSource(reader, path: path)
        var outcomes: [PieceSource.Outcome] = []
        for _ in 0...count { outcomes.append(try source.refill(Piece())) }
        #expect(outcomes == Array(repeating: .lines, count: count) + [.cut])
      }
    }
  }

  @Test("The last line break is found at any place, and is nil if there is none.")
  func lastLineBreak() {
    for length in 0...6 {
      for bits in 0..<1 << length {
        let text: [UInt8] = (0..<length).map { bits >> $0 & 1 == 0 ? 0x61 : 0x0a }
        #expect(text.withUnsafeBytes(\.lastLineBreak) == text.lastIndex(of: 0x0a))
      }
    }
  }

  @Test("An emptied buffer has no lines, and a file that ends leaves the buffer without lines.")
  func emptied() throws {
    try withGzipFile([Array("\nab\n".utf8)]) { (reader, path) throws in
      let source = PieceSource(reader, path: path)
      let piece = Piece()
      #expect(try source.refill(piece) == .lines)
      #expect(piece.lines.elementsEqual("\nab\n".utf8))
      #expect(try source.refill(piece) == .end)
      #expect(piece.lines.isEmpty && piece.filled == 0)
      piece.filled = 4
      piece.count = 4
      #expect(piece.removeAll() && piece.count == 0 && piece.filled == 0 && piece.lines.isEmpty)
    }
  }

  @Test("The first of several lines can be removed from a buffer.")
  func removeFirst() throws {
    try withGzipFile([Array("a\nbc\nd\nrest".utf8)]) { (reader, path) throws in
      let source = PieceSource(reader, path: path)
      let piece = Piece()
      #expect(try source.refill(piece) == .lines)
      piece.removeFirst(2)
      #expect(piece.lines.elementsEqual("bc\nd\n".utf8))
      #expect(piece.count == 5 && piece.filled == 9)
    }
  }

  @Test("A new buffer has no memory, and grows to the size that is asked for.")
  func newBuffer() {
    let piece = Piece()
    #expect(piece.filled == 0 && piece.count == 0 && piece.memory.count == 0)
    #expect(piece.lines.isEmpty && piece.room.isEmpty)
    for size in [10, 10, 20] {
      #expect(piece.resize(to: size) && piece.memory.count == size && piece.room.count == size)
    }
    piece.filled = 3
    #expect(piece.room.count == 17 && piece.lines.isEmpty)
  }
}
