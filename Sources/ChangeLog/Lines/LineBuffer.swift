import Dispatch
import Glibc
import Store

/// Cuts what a reader gives into lines, without copying them.
///
/// While the lines of one piece are looked at, another thread takes those of the piece before into
/// the digest and decompresses the next ones.
final class LineBuffer {
  /// No line is longer; a file that says otherwise would fill the memory.
  static let longestLine = 1 << 25

  /// A piece that another thread fills; the semaphore is signalled when ``outcome`` is there.
  private final class Filling: @unchecked Sendable {
    let piece: Piece
    var outcome: Result<LinePieces.Outcome, any Error> = .success(.end)
    let isDone = DispatchSemaphore(value: 0)

    init(_ piece: Piece) { self.piece = piece }
  }

  private let pieces: LinePieces
  private let path: String
  private let queue = DispatchQueue(label: "travelog.lines")
  private var current = Piece()
  private var filling: Filling?
  /// Where the last line begins, and where the next one does.
  private var lineStart = 0
  private var start = 0
  /// The number of the last line, from 1 on.
  private(set) var number = 0

  init(_ reader: GzipReader, path: String) {
    pieces = LinePieces(reader, path: path)
    self.path = path
  }

  /// True where the bytes of the last line, and of those before, are gone with the next one.
  var isAtEndOfPiece: Bool { start == current.count }

  /// The next line with its line break, which is there until the next one; nil at the end.
  func next() throws -> UnsafeRawBufferPointer? {
    if start == current.count, try !advance() { return nil }
    lineStart = start
    guard let base = current.lines.baseAddress,
      let end = memchr(base + start, 0x0a, current.count - start)
    else { return nil }
    start = UnsafeRawPointer(end) - base + 1
    number += 1
    guard start - lineStart <= Self.longestLine else { throw tooLong(number) }
    return UnsafeRawBufferPointer(rebasing: current.lines[lineStart..<start])
  }

  /// The digest of all lines before the last one.
  func digestBeforeLine() -> Digest {
    finish()
    pieces.digest(UnsafeRawBufferPointer(rebasing: current.lines[..<lineStart]))
    return pieces.digest()
  }

  /// Waits until no other thread reads from the file, which may then be closed.
  func finish() {
    guard let filling else { return }
    filling.isDone.wait()
    filling.isDone.signal()
  }

  /// Goes on to the next piece; false at the end.
  private func advance() throws -> Bool {
    guard let filling else {
      // The first piece: a short file is read without another thread.
      guard number == 0 else { return false }
      return try take(current, pieces.refill(current))
    }
    filling.isDone.wait()
    self.filling = nil
    let outcome = try filling.outcome.get()
    return try take(filling.piece, outcome)
  }

  private func take(_ piece: Piece, _ outcome: LinePieces.Outcome) throws -> Bool {
    var outcome = outcome
    var done = current === piece ? nil : current
    if outcome == .crowded {
      // A very long line: nothing else is to be in memory then.
      if let lines = done { pieces.digest(lines.lines) }
      done = nil
      current = piece
      outcome = try pieces.fill(piece, upTo: Self.longestLine)
      guard outcome != .crowded else { throw tooLong(number + 1) }
    }
    switch outcome {
    case .lines:
      current = piece
      start = 0
      work(on: done)
      return true
    case .end:
      return false
    case .cut, .crowded:
      throw LogError(
        .incomplete,
        "The log \(path) ends in the middle of line \(number + 1); copy it again from where it came"
          + " from.",
        path: path,
        line: number + 1
      )
    }
  }

  /// Lets another thread fill a piece anew, after its lines went into the digest.
  private func work(on done: Piece?) {
    guard !pieces.isFinished || done != nil else { return }
    let filling = Filling(done ?? Piece())
    self.filling = filling
    queue.async { [pieces] in
      pieces.digest(filling.piece.lines)
      filling.outcome = Result { try pieces.refill(filling.piece) }
      filling.isDone.signal()
    }
  }

  private func tooLong(_ line: Int) -> LogError {
    LogError(
      .damaged,
      "Line \(line) of the log \(path) is longer than \(Self.longestLine) bytes, which no line of a"
        + " log is.",
      path: path,
      line: line
    )
  }
}
