import Changes
import Dispatch
import Glibc

/// Computes the digests of a file and of its transactions, each on its own thread.
final class PieceDigests: Sendable {
  private let file = FileDigest()
  private let chain = ChainDigests()
  private let hashing = DispatchQueue(label: "travelog.log.hashing")
  private let chaining = DispatchQueue(label: "travelog.log.chaining")

  /// Starts with the digest before the first transaction.
  func begin(after previous: Digest) { chain.begin(after: previous) }

  /// Computes the digests of a piece at once, if no other thread does.
  func make(of piece: Piece) {
    file.append(piece)
    chain.append(piece)
  }

  /// Lets other threads compute the digests of a piece, whose groups show when they are done.
  func makeAhead(of piece: Piece) {
    hashing.async(group: piece.hashing) { [file] in file.append(piece) }
    chaining.async(group: piece.chaining) { [chain] in chain.append(piece) }
  }
}

/// Computes the digest of a file, piece by piece; one thread at a time uses it.
private final class FileDigest: @unchecked Sendable {
  private var hash = SHA256()

  /// Hashes the lines of a piece except the trailer.
  func append(_ piece: Piece) {
    let lines = piece.lines
    let others = UnsafeRawBufferPointer(rebasing: lines.dropLast())
    let last = others.lastLineBreak.map { $0 + 1 } ?? 0
    var text = LineParts(lines, from: last)
    let isTrailer = text.has(#"{"kind":"trailer","#)
    hash.update(UnsafeRawBufferPointer(rebasing: isTrailer ? lines[..<last] : lines[...]))
    piece.trailerDigest = isTrailer ? hash.finish() : nil
  }
}

/// Computes the digests of transactions before their lines are parsed; one thread at a time uses
/// it.
///
/// It reads only what it needs to find the end of a transaction. Wrong lines give a wrong digest or
/// none, and the reader of the lines reports the reason.
private final class ChainDigests: @unchecked Sendable {
  private var hash = SHA256()
  private var scratch: [UInt8] = []

  /// Starts with the digest before the first transaction.
  func begin(after previous: Digest) {
    hash = SHA256()
    scratch.removeAll(keepingCapacity: true)
    previous.append(to: &scratch)
    hash.update(scratch)
  }

  func append(_ piece: Piece) {
    piece.digests.removeAll(keepingCapacity: true)
    let lines = piece.lines
    guard let base = lines.baseAddress else { return }
    var begin = 0
    var position = 0
    while position < lines.count, let end = memchr(base + position, 0x0a, lines.count - position) {
      let next = UnsafeRawPointer(end) - base + 1
      var text = LineParts(lines, from: position)
      if text.has(#"{"kind":"transaction","#) {
        let line = UnsafeRawBufferPointer(rebasing: lines[..<next])
        hash.update(UnsafeRawBufferPointer(rebasing: lines[begin..<position]))
        piece.digests.append(close(UnsafeRawBufferPointer(rebasing: line[position...])))
        begin = next
      } else if text.has(#"{"kind":"header","#) {
        begin = next
      }
      position = next
    }
    hash.update(UnsafeRawBufferPointer(rebasing: lines[begin...]))
  }

  /// Hashes a closing line without its digest; the next transaction follows.
  private func close(_ line: UnsafeRawBufferPointer) -> Digest? {
    var text = LineParts(line)
    // In a string its quotes would be escaped, so the first occurrence is the member.
    guard text.skip(to: #","digest":""#) else { return nil }
    let start = text.position
    guard text.has(#","digest":""#), let stated = Digest(hexadecimal: text.upToQuote()),
      text.has(#"""#)
    else { return nil }
    hash.update(UnsafeRawBufferPointer(rebasing: line[..<start]))
    hash.update(UnsafeRawBufferPointer(rebasing: line[text.position...]))
    let digest = hash.finish()
    begin(after: isGap(line[..<start]) ? resumed(&text) ?? stated : stated)
    return digest
  }

  private func isGap(_ opening: Slice<UnsafeRawBufferPointer>) -> Bool {
    opening.suffix(10).elementsEqual(#""op":"gap""#.utf8)
  }

  /// The digest with which the chain continues after a gap.
  private func resumed(_ text: inout LineParts) -> Digest? {
    guard text.skip(to: #"\"resumes\":\""#), text.has(#"\"resumes\":\""#) else { return nil }
    return Digest(hexadecimal: UnsafeRawBufferPointer(rebasing: text.upToQuote().dropLast()))
  }
}
