import Changes
import Dispatch
import Glibc

/// Makes the digests of a file and of its transactions, each on a thread of its own.
final class PieceDigests: Sendable {
  private let file = FileDigest()
  private let chain = ChainDigests()
  private let hashing = DispatchQueue(label: "travelog.log.hashing")
  private let chaining = DispatchQueue(label: "travelog.log.chaining")

  /// Begins after a transaction, before the first piece.
  func begin(after previous: Digest) { chain.begin(after: previous) }

  /// Makes those of a piece at once, where no other thread is at work.
  func make(of piece: Piece) {
    file.append(piece)
    chain.append(piece)
  }

  /// Lets other threads make those of a piece, whose groups tell when they are there.
  func makeAhead(of piece: Piece) {
    hashing.async(group: piece.hashing) { [file] in file.append(piece) }
    chaining.async(group: piece.chaining) { [chain] in chain.append(piece) }
  }
}

/// Makes the digest of a file, piece by piece; one thread uses it at a time.
private final class FileDigest: @unchecked Sendable {
  private var hash = SHA256()

  /// Takes in the lines of a piece, but for the trailer.
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

/// Makes the digests of transactions, before anybody reads their lines; one thread uses it at a
/// time.
///
/// It looks at no more than it needs to find where a transaction ends. Lines that are not as they
/// should be give a digest that is not theirs, or none, and whoever reads them says why.
private final class ChainDigests: @unchecked Sendable {
  private var hash = SHA256()
  private var scratch: [UInt8] = []

  /// Begins after a transaction.
  func begin(after previous: Digest) {
    hash = SHA256()
    scratch.removeAll(keepingCapacity: true)
    previous.append(to: &scratch)
    hash.update(scratch)
  }

  /// Takes in the lines of a piece.
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

  /// Takes in the line that closes a transaction, without its digest, after which the next begins.
  private func close(_ line: UnsafeRawBufferPointer) -> Digest? {
    var text = LineParts(line)
    // In a string its quotes would be escaped, so that the first one is the member.
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

  /// The digest that history goes on with after a transaction that stands for missing ones.
  private func resumed(_ text: inout LineParts) -> Digest? {
    guard text.skip(to: #"\"resumes\":\""#), text.has(#"\"resumes\":\""#) else { return nil }
    return Digest(hexadecimal: UnsafeRawBufferPointer(rebasing: text.upToQuote().dropLast()))
  }
}
