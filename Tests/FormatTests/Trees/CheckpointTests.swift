import Testing

@testable import Format

@Suite("Checkpoints of trees")
struct CheckpointTests {
  private let root = MerkleTree().root

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
