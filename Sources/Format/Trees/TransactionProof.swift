/// A proof that a transaction, or one change in it, belongs to a lineage.
///
/// The first part of the proof, the statement, determines the digest of the transaction. The rest
/// shows that the tree of the lineage contains this digest.
package struct TransactionProof: Hashable, Sendable {
  /// What the proof shows of the transaction's lines.
  package enum Lines: Hashable, Sendable {
    /// One line, with the salt of its values, and the hashes from the line's sibling up to the
    /// root.
    case one([UInt8], salt: Seed?, path: [Digest])
    /// Only the root of the tree over the lines. No line is proven.
    case root(Digest)
  }

  /// The proven line, or the root of the tree over all lines.
  package let lines: Lines
  /// The line that closes the transaction, without its line feed.
  package let closing: [UInt8]
  package let previous: Digest
  /// The proof that the tree of the lineage contains the transaction.
  package let tree: TreeProof

  private static let title = "travelog-proof/1"

  package init(lines: Lines, closing: [UInt8], previous: Digest, tree: TreeProof) {
    self.lines = lines
    self.closing = closing
    self.previous = previous
    self.tree = tree
  }

  package init(_ bytes: [UInt8]) throws(NoteError) {
    guard let text = String(validating: bytes, as: UTF8.self),
      let end = text.firstRange(of: "\n\n")
    else { throw .malformed("the proof is not text with an empty line") }
    var rest = text[..<end.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)[...]
    func value(_ name: String, _ line: Substring?) -> Substring? {
      line.flatMap { $0.hasPrefix(name + " ") ? $0.dropFirst(name.utf8.count + 1) : nil }
    }
    guard rest.popFirst() == Self.title[...], let first = rest.popFirst(),
      let previous = value("previous", rest.popLast()).flatMap({ digest(base64: $0) })
    else { throw .malformed("the statement of the proof has a wrong beginning or end") }
    self.previous = previous
    if let root = value("lines", rest.first).flatMap({ digest(base64: $0) }), rest.count == 1 {
      (lines, closing) = (.root(root), Array(first.utf8))
    } else {
      guard let second = rest.popFirst() else {
        throw .malformed("the proof has no line that closes the transaction")
      }
      closing = Array(second.utf8)
      let salt = value("salt", rest.first).flatMap { decoded($0) }.flatMap { Seed(bytes: $0) }
      if salt != nil { rest.removeFirst() }
      let path = rest.compactMap { digest(base64: $0) }
      guard path.count == rest.count else {
        throw .malformed("the proof has a line without a hash")
      }
      lines = .one(Array(first.utf8), salt: salt, path: path)
    }
    tree = try TreeProof(String(text[end.upperBound...]))
  }

  package var text: String {
    func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }
    let statement =
      switch lines {
      case .root(let root): [text(closing), "lines \(encoded(root.bytes))"]
      case .one(let line, let salt, let path):
        [text(line), text(closing)] + (salt.map { ["salt \(encoded($0.bytes))"] } ?? [])
          + path.map { encoded($0.bytes) }
      }
    return ([Self.title] + statement + ["previous \(encoded(previous.bytes))", "", tree.text])
      .joined(separator: "\n")
  }

  /// Checks the proof, and returns the ids of the proven transaction and of the proven change.
  package func check() throws(ProofError) -> (transaction: Int64, change: Int64?) {
    let end = try ClosingLine(closing)
    let root: Digest
    var change: Int64?
    switch lines {
    case .root(let lines): root = lines
    case .one(let bytes, let salt, let path):
      let line = try CoveredLine(bytes)
      let sequence = try end.sequence(of: line)
      // A line with hidden values must not show values, because no digest would prove them.
      guard (salt == nil) == (line.valuesDigest != nil), line.shown == bytes,
        salt != nil || line.values.isEmpty, let leaf = line.leaf(salt: salt)
      else { throw ProofError("The line does not have either values with a salt or their digest.") }
      root = try inclusionRoot(of: leaf, at: sequence, in: end.count, by: path)
      change = sequence
    }
    let body = end.body.withUnsafeBytes { bodyDigest(lines: root, closing: $0) }
    guard transactionDigest(after: previous, body: body) == end.digest else {
      throw ProofError("The lines do not lead to the digest of the transaction.")
    }
    try tree.check(leafHash(end.digest))
    return (end.transaction, change)
  }
}

/// The parts of a transaction's closing line that are needed to check a proof.
private struct ClosingLine {
  let transaction: Int64
  /// The number of lines in the transaction.
  let count: Int64
  let digest: Digest
  /// The bytes of the closing line that the digest of the transaction covers: with the line feed,
  /// and without the digest.
  let body: [UInt8]
  /// The part that each line of the transaction repeats: number of lines, time and author.
  private let shared: ArraySlice<UInt8>

  init(_ line: [UInt8]) throws(ProofError) {
    let opening = Array(#"{"kind":"transaction","txn":"#.utf8)
    guard line.starts(with: opening), let operation = firstRange(of: #","op":"#, in: line),
      let member = firstRange(of: #","digest":""#, in: line), member.upperBound + 65 <= line.count,
      line[(member.upperBound + 64)...].starts(with: Array(#"","meta":{"#.utf8)),
      let digest = Digest(
        hexadecimal: String(
          decoding: line[member.upperBound..<member.upperBound + 64],
          as: UTF8.self
        )
      ),
      let (transaction, rest) = number(line[opening.count..<operation.lowerBound]),
      let (count, _) = number(rest.dropFirst(#","n":"#.utf8.count)),
      rest.starts(with: Array(#","n":"#.utf8))
    else { throw ProofError("The second line does not close a transaction.") }
    (self.transaction, self.count, self.digest, shared) = (transaction, count, digest, rest)
    body = line[..<member.lowerBound] + line[(member.upperBound + 65)...] + [0x0a]
  }

  func sequence(of line: CoveredLine) throws(ProofError) -> Int64 {
    // No digest covers the kind of a line, so the kind is compared here.
    let opening = Array(#"{"kind":"change","txn":\#(transaction),"seq":"#.utf8)
    let hidden = line.valuesDigest.map { Array(#","values":"\#($0)""#.utf8) } ?? []
    guard line.line.starts(with: opening),
      let (sequence, rest) = number(line.line[opening.count..<line.prefix.upperBound]),
      rest == shared + hidden
    else { throw ProofError("The first line does not belong to transaction \(transaction).") }
    return sequence
  }
}

/// The canonical number at the start of some bytes, and the bytes after the number.
private func number(_ bytes: ArraySlice<UInt8>) -> (Int64, ArraySlice<UInt8>)? {
  let digits = bytes.prefix { $0 &- 0x30 < 10 }
  let text = String(decoding: digits, as: UTF8.self)
  guard let number = Int64(text), String(number) == text else { return nil }
  return (number, bytes.dropFirst(digits.count))
}
