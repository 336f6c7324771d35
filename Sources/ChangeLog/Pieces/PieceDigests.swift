import Dispatch
import Format
import Glibc

/// Computes the digest of a file on one thread, and the digests of its transactions on another
/// thread.
final class PieceDigests: Sendable {
  private let file = FileDigest()
  private let chain = ChainDigests()
  private let hashing = DispatchQueue(label: "travelog.log.hashing")
  private let chaining = DispatchQueue(label: "travelog.log.chaining")

  func begin(after previous: Digest) { chain.begin(after: previous) }

  /// Computes the digests of a piece on this thread; no other thread may compute digests at the
  /// same time.
  func make(of piece: Piece) {
    file.append(piece)
    chain.append(piece)
  }

  /// Starts to compute the digests of a piece on other threads.
  ///
  /// The threads leave the dispatch groups of the piece when the digests are computed.
  func makeAhead(of piece: Piece) {
    hashing.async(group: piece.hashing) { [file] in file.append(piece) }
    chaining.async(group: piece.chaining) { [chain] in chain.append(piece) }
  }
}

/// Computes the digest of a file from its pieces; only one thread at a time may use this object.
private final class FileDigest: @unchecked Sendable {
  private var hash = SHA256()

  /// Adds the lines of a piece to the digest, except the trailer.
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

/// Computes the digests of transactions before their lines are parsed; only one thread at a time
/// may use this object.
///
/// Only the bytes that separate the parts of a line are parsed. Wrong lines give a wrong digest or
/// no digest, and the code that parses the lines reports the reason.
private final class ChainDigests: @unchecked Sendable {
  private var previous = SHA256.digest(of: [])
  /// The tree over the lines of the current transaction.
  private var tree = LineTree(count: 0)
  private var isOpen = false
  /// The bytes of each line between the sequence number and the keys of the leaf.
  private var shared: [UInt8] = []
  private var scratch: [UInt8] = []

  func begin(after previous: Digest) {
    self.previous = previous
    isOpen = false
  }

  func append(_ piece: Piece) {
    piece.digests.removeAll(keepingCapacity: true)
    let lines = piece.lines
    guard let base = lines.baseAddress else { return }
    var position = 0
    while position < lines.count, let end = memchr(base + position, 0x0a, lines.count - position) {
      let next = UnsafeRawPointer(end) - base + 1
      var text = LineParts(UnsafeRawBufferPointer(rebasing: lines[position..<next]))
      if text.has(#"{"kind":"change","#) {
        take(&text)
      } else if text.has(#"{"kind":"transaction","#) {
        piece.digests.append(close(&text))
      } else if text.has(#"{"kind":"omitted","#), let digest = omit(&text) {
        piece.digests.append(.success(LineDigests(transaction: digest)))
      }
      position = next
    }
  }

  /// Adds the line of a change to the current transaction.
  private func take(_ text: inout LineParts) {
    guard text.skip(to: #","n":"#) else { return }
    if !isOpen || shared.isEmpty { begin(text) }
    // The result is ignored: a line that begins with other bytes is refused by the code that parses
    // it.
    _ = shared.withUnsafeBytes { text.has($0) }
    let members = text.isNext(#""op":"#) ? text.part(0..<0) : text.upTo(#","op":"#)
    if !members.isEmpty { _ = text.has(",") }
    let known = text.position
    let end = max(known, text.line.count - 2)
    let values = text.beginningOfValues(upTo: end)
    tree.append(
      known: text.part(known..<values),
      values: text.part(values..<end),
      members: members
    )
  }

  /// Begins a transaction with its first line, and keeps the bytes that all lines of the
  /// transaction have before their leaf.
  private func begin(_ text: LineParts) {
    var text = text
    let start = text.position
    let count = text.has(#","n":"#) ? try? text.integer() : nil
    if text.has(#","ts":"#) { _ = text.quoted() }
    if text.has(#","author":"#) { _ = text.quoted() }
    _ = text.has(",")
    shared.removeAll(keepingCapacity: true)
    shared.append(contentsOf: text.part(start..<text.position))
    if !isOpen { open(count ?? 0) }
  }

  private func open(_ count: Int64) {
    tree = LineTree(count: count)
    isOpen = true
  }

  /// Adds a line that replaces omitted lines or a transaction; returns the digest of an omitted
  /// transaction.
  private func omit(_ text: inout LineParts) -> Digest? {
    let isWhole = !text.skip(to: #","n":"#)
    let count = text.has(#","n":"#) ? try? text.integer() : nil
    let lines = text.has(#","count":"#) ? try? text.integer() : nil
    guard text.skip(to: #","digest":""#), text.has(#","digest":""#),
      let digest = Digest(hexadecimal: text.upToQuote())
    else { return nil }
    if isWhole {
      previous = transactionDigest(after: previous, body: digest)
      return previous
    }
    if !isOpen {
      shared.removeAll(keepingCapacity: true)
      open(count ?? 0)
    }
    tree.append(omitted: digest, lines: lines ?? 0)
    return nil
  }

  /// Adds the closing line of a transaction, except the digest in the line; the next line begins
  /// another transaction.
  private func close(_ text: inout LineParts) -> Result<LineDigests, Refusal> {
    let tree = isOpen ? tree : LineTree(count: 0)
    isOpen = false
    // Inside a JSON string the quotes would be escaped, so the first match is the key.
    guard text.skip(to: #","digest":""#) else { return .failure(.text) }
    let start = text.position
    guard text.has(#","digest":""#), let stated = Digest(hexadecimal: text.upToQuote()),
      text.has(#"""#)
    else { return .failure(.text) }
    scratch.removeAll(keepingCapacity: true)
    scratch.append(contentsOf: text.part(0..<start))
    let isGap = scratch.suffix(10).elementsEqual(#""op":"gap""#.utf8)
    scratch.append(contentsOf: text.part(text.position..<text.line.count))
    let previous = previous
    self.previous = isGap ? resumed(&text) ?? stated : stated
    return scratch.withUnsafeBytes { closing in
      Result { () throws(ProofError) in try tree.close(closing, after: previous) }
    }.mapError { Refusal(message: $0.message) }
  }

  /// The digest with which the chain continues after a gap.
  private func resumed(_ text: inout LineParts) -> Digest? {
    guard text.skip(to: #"\"resumes\":\""#), text.has(#"\"resumes\":\""#) else { return nil }
    return Digest(hexadecimal: UnsafeRawBufferPointer(rebasing: text.upToQuote().dropLast()))
  }
}
