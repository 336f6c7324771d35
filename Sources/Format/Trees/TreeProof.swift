/// A proof that a leaf is in a tree, in the format c2sp.org/tlog-proof.
package struct TreeProof: Hashable, Sendable {
  package let index: Int64
  /// The hashes from the leaf's sibling up to the root.
  package let hashes: [Digest]
  package let checkpoint: CheckpointFile

  private static let title = "c2sp.org/tlog-proof@v1"

  package init(index: Int64, hashes: [Digest], checkpoint: CheckpointFile) {
    self.index = index
    self.hashes = hashes
    self.checkpoint = checkpoint
  }

  /// Reads a proof.
  ///
  /// A line that begins with `extra` is allowed, and is ignored because it proves nothing.
  package init(_ text: String) throws(NoteError) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.popFirst() == Self.title[...] else {
      throw .malformed("the first line of the proof is wrong")
    }
    if lines.first?.hasPrefix("extra ") == true { lines.removeFirst() }
    guard let line = lines.popFirst(), line.hasPrefix("index "),
      let index = Int64(line.dropFirst(6)), index >= 0, "index \(index)" == line,
      let end = lines.firstIndex(of: "")
    else { throw .malformed("the proof does not have the position of a leaf") }
    self.index = index
    var hashes: [Digest] = []
    for line in lines[..<end] {
      guard let hash = digest(base64: line) else {
        throw .malformed("the proof has a line without a hash")
      }
      hashes.append(hash)
    }
    self.hashes = hashes
    let rest = lines[(end + 1)...].joined(separator: "\n")
    checkpoint = try CheckpointFile(Array(rest.utf8))
  }

  package var text: String {
    ([Self.title, "index \(index)"] + hashes.map { encoded($0.bytes) }).joined(separator: "\n")
      + "\n\n\(checkpoint.text)"
  }

  package func check(_ leaf: Digest) throws(ProofError) {
    let head = checkpoint.checkpoint.head
    guard try inclusionRoot(of: leaf, at: index, in: head.count, by: hashes) == head.root else {
      throw ProofError("The hashes do not lead to the root of the checkpoint.")
    }
  }
}

/// Reads a digest in base64; nil for any other text.
func digest(base64 text: some StringProtocol) -> Digest? {
  decoded(text)?.withUnsafeBytes { Digest(bytes: $0) }
}
