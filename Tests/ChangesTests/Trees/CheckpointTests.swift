import Testing

@testable import Changes

@Suite("Checkpoints of trees")
struct CheckpointTests {
  private let root = MerkleTree().root

  @Test("A checkpoint has an origin without control characters, and a number of leaves from 0.")
  func parts() throws {
    let refusal = NoteError.malformed("the origin is empty, or has control characters")
    for count: Int64 in [0, 1, .max] {
      let point = try Checkpoint(origin: "a b", head: TreeHead(count: count, root: root))
      #expect(point.text == "a b\n\(count)\n\(encoded(root.bytes))\n")
      #expect(try Checkpoint(text: point.text) == point)
    }
    for count: Int64 in [-1, .min] {
      #expect(throws: refusal) {
        try Checkpoint(origin: "a", head: TreeHead(count: count, root: root))
      }
    }
    for origin in ["", "a\nb", "\u{1f}", "a\u{0}"] {
      #expect(throws: refusal) {
        try Checkpoint(origin: origin, head: TreeHead(count: 0, root: root))
      }
    }
  }

  @Test("The error of a malformed checkpoint says which line is wrong.")
  func malformed() {
    let root = encoded(root.bytes)
    let form = "the checkpoint does not have an origin, a size and a root, each in a line"
    for text in [
      "", "a", "a\n0\n\(root)", "a\n0\n", "\n0\n\(root)\n", "a\n\n\(root)\n", "a\n0\n\n",
      "a\n0\n\(root)\n\n", "a\n0\n\(root)\n\nb\n", "a\n0\n\(root)\nb",
    ] {
      #expect(throws: NoteError.malformed(form), "\(text)") { try Checkpoint(text: text) }
    }
    for line in ["A", "AAAA", String(root.dropLast()), root + "AAAA"] {
      #expect(throws: NoteError.malformed("the third line is not a root"), "\(line)") {
        try Checkpoint(text: "a\n0\n\(line)\n")
      }
    }
    let control = NoteError.malformed("the origin is empty, or has control characters")
    #expect(throws: control) { try Checkpoint(text: "a\u{1}\n0\n\(root)\n") }
  }

  @Test("A file is a checkpoint without signatures until somebody signs it.")
  func files() throws {
    let point = try Checkpoint(origin: "a", head: TreeHead(count: 3, root: root))
    var file = CheckpointFile(point)
    #expect(file.text == point.text && file.note == nil)
    // Other bytes are not replaced, with or without signatures.
    #expect(throws: NoteError.malformed("the checkpoint is not UTF-8")) {
      try CheckpointFile([0xff] + Array(point.text.utf8))
    }
    #expect(try CheckpointFile(Array(point.text.utf8)) == file)
    #expect(throws: NoteError.unsigned) { try file.signers(among: []) }
    let first = try file.sign([UInt8](repeating: 7, count: 32))
    let once = file
    #expect(first.name == "a" && once.note?.signatures.count == 1)
    #expect(try once.signers(among: [first]) == [first])
    #expect(try CheckpointFile(Array(once.text.utf8)) == once && once.text.contains("\n\n"))
    #expect(try file.sign([UInt8](repeating: 7, count: 32)) == first)
    #expect(file == once)
    let second = try file.sign([UInt8](repeating: 8, count: 32))
    #expect(second != first && file.note?.signatures.count == 2)
    #expect(try file.signers(among: [first, second]) == [first, second])
    #expect(file.checkpoint == point)
  }
}
