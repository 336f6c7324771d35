import Dispatch
import Format
import Glibc

/// Splits the output of a reader into lines, without copying the lines.
///
/// Three other threads work ahead: one decompresses the file, one computes the digest of the file,
/// and one computes the digests of the transactions. Therefore a transaction is verified when its
/// last line is read.
final class LineBuffer {
  /// The maximum length of a line, which limits the memory that a line can use.
  static let longestLine = 1 << 25
  /// The number of pieces in memory.
  ///
  /// With this number, no thread waits long for another thread.
  private static let pieceCount = 3

  private let source: PieceSource
  private let pieceDigests = PieceDigests()
  private let path: String
  private let reading = DispatchQueue(label: "travelog.log.reading")
  private var current = Piece()
  /// The next pieces, which are filled or wait to be filled.
  private var ahead: [Piece] = []
  /// The offset of the next line in the current piece.
  private var start = 0
  /// The first line, if it was read without its piece; the piece has the line too.
  private var header: [UInt8]?
  /// The number of digests of the current piece that were already returned.
  private var digestsTaken = 0
  /// The number of the line that was read last, from 1.
  private(set) var number = 0

  init(_ reader: GzipReader, path: String) {
    source = PieceSource(reader, path: path)
    self.path = path
  }

  /// The number of bytes read from the file; no other thread may read from the file during this
  /// call.
  var bytesRead: Int64 {
    finish()
    return source.bytesRead
  }

  /// The next line with its line break, whose bytes are valid until the next call; nil at the end
  /// of the file.
  func next() throws -> UnsafeRawBufferPointer? {
    while start == current.count { if try !advance() { return nil } }
    guard let base = current.lines.baseAddress,
      let end = memchr(base + start, 0x0a, current.count - start)
    else { return nil }
    let lineStart = start
    start = UnsafeRawPointer(end) - base + 1
    number += 1
    return UnsafeRawBufferPointer(rebasing: current.lines[lineStart..<start])
  }

  /// Calls the closure with the first line of the file; nil if the file is empty.
  ///
  /// Many callers need only the header, so the first line of a large file is read without the lines
  /// after it.
  func withHeader<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result? {
    header = source.firstLine()
    guard let header else { return try next().map(body) }
    number = 1
    return try header.withUnsafeBytes(body)
  }

  /// Skips bytes at the beginning of the file, which must be complete lines; returns false if the
  /// file has no line after these bytes.
  func skip(_ count: Int64) throws -> Bool {
    var left = count
    while try advance() {
      guard left >= current.count else {
        current.removeFirst(Int(left))
        return true
      }
      left -= Int64(current.count)
    }
    return false
  }

  /// Starts to compute digests; the first line must already be read, because it contains the digest
  /// before the first transaction.
  ///
  /// If that digest is nil, no digests are computed, and this thread reads each piece when it needs
  /// the piece.
  func begin(after previous: Digest?) throws {
    if header != nil { _ = try advance() }
    guard let previous else { return }
    pieceDigests.begin(after: previous)
    guard !source.isFinished else {
      // The rest of the file is in this piece, so its digests are computed without other threads,
      // which is faster.
      pieceDigests.make(of: current)
      return
    }
    pieceDigests.makeAhead(of: current)
    for _ in 1..<Self.pieceCount { fill(Piece()) }
  }

  /// The digests of the transaction whose closing line was read last.
  func digests() -> Result<LineDigests, Refusal> {
    current.chaining.wait()
    digestsTaken += 1
    guard digestsTaken <= current.digests.count else { return .failure(.text) }
    return current.digests[digestsTaken - 1]
  }

  /// The digest of all lines before the trailer, which was read last; nil if other lines follow the
  /// trailer.
  func digestBeforeTrailer() -> Digest? {
    current.hashing.wait()
    return start == current.count ? current.trailerDigest : nil
  }

  /// Waits until no other thread reads from the file; the caller can then close the file.
  func finish() {
    for piece in ahead { piece.filling.wait() }
  }

  /// Makes the next piece the current piece; returns false at the end of the file.
  private func advance() throws -> Bool {
    guard !ahead.isEmpty else {
      // This thread reads the piece itself, because no piece was read ahead: it is the first or the
      // last piece, or no digests are computed.
      current.wait()
      start = 0
      var outcome = try source.refill(current)
      if outcome == .crowded { outcome = try source.fill(current, upTo: Self.longestLine) }
      return try go(on: current, outcome: outcome)
    }
    let piece = ahead.removeFirst()
    piece.filling.wait()
    var outcome = try piece.outcome.get()
    if outcome == .crowded {
      // While a very long line is read, no other piece may be in memory.
      for piece in ahead { piece.wait() }
      current.wait()
      ahead.removeAll()
      current = piece
      outcome = try source.fill(piece, upTo: Self.longestLine)
      guard try go(on: piece, outcome: outcome) else { return false }
      pieceDigests.makeAhead(of: piece)
      for _ in 1..<Self.pieceCount { fill(Piece()) }
      return true
    }
    let done = current
    guard try go(on: piece, outcome: outcome) else { return false }
    fill(done)
    return true
  }

  /// Makes a piece the current piece; returns false at the end of the file.
  private func go(on piece: Piece, outcome: PieceSource.Outcome) throws -> Bool {
    switch outcome {
    case .lines:
      current = piece
      start = 0
      digestsTaken = 0
      if let header {
        guard piece.lines.starts(with: header) else { throw notAHeader(path, line: 1) }
        start = header.count
        self.header = nil
      }
      return true
    case .end:
      return false
    case .crowded, .cut:
      guard number > 0 || LogHeader.mayBegin(with: piece.memory[..<piece.filled]) else {
        throw notAHeader(path, line: 1)
      }
      let line = number + 1
      guard outcome == .crowded else {
        throw LogError(.incomplete, path, line: line) {
          "The log \(path) ends in the middle of line \(line)."
        }
      }
      throw LogError(.damaged, path, line: line) {
        "Line \(line) of the log \(path) is longer than \(Self.longestLine) bytes, the limit for a"
          + " line."
      }
    }
  }

  /// Fills a piece on another thread, and then computes its digests on the other threads.
  private func fill(_ piece: Piece) {
    piece.wait()
    for group in [piece.filling, piece.hashing, piece.chaining] { group.enter() }
    ahead.append(piece)
    reading.async { [source, pieceDigests] in
      piece.outcome = Result { try source.refill(piece) }
      if case .success(.lines) = piece.outcome { pieceDigests.makeAhead(of: piece) }
      for group in [piece.filling, piece.hashing, piece.chaining] { group.leave() }
    }
  }
}
