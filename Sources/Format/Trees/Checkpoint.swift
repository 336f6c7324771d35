/// The size and root of a growing tree, in the format c2sp.org/tlog-checkpoint.
package struct Checkpoint: Hashable, Sendable {
  /// The unique name of the tree.
  package let origin: String
  /// The number of leaves and the root hash.
  package let head: TreeHead

  package init(origin: String, head: TreeHead) throws(NoteError) {
    guard !origin.isEmpty, head.count >= 0, origin.unicodeScalars.allSatisfy({ $0.value >= 0x20 })
    else { throw .malformed("the origin is empty, or has control characters") }
    self.origin = origin
    self.head = head
  }

  /// Reads a checkpoint from the text of a note.
  ///
  /// Other programs may add lines after the root. Such lines are ignored.
  package init(text: String) throws(NoteError) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 4, lines.last == "", lines.dropLast().allSatisfy({ !$0.isEmpty }) else {
      throw .malformed("the checkpoint does not have an origin, a size and a root, each in a line")
    }
    guard let count = Int64(lines[1]), count >= 0, String(count) == lines[1] else {
      throw .malformed("the second line is not a number of leaves")
    }
    guard let root = decoded(lines[2])?.withUnsafeBytes({ Digest(bytes: $0) }) else {
      throw .malformed("the third line is not a root")
    }
    try self.init(origin: String(lines[0]), head: TreeHead(count: count, root: root))
  }

  package var text: String { "\(origin)\n\(head.count)\n\(encoded(head.root.bytes))\n" }
}
