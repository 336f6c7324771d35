import TestSupport
import Testing

@testable import Changes

@Suite("The texts of proofs")
struct TreeProofTests {
  private let leaf = SHA256.digest(of: [1])
  private let sibling = SHA256.digest(of: [2])

  private func proof(_ index: Int64 = 0) throws -> TreeProof {
    let head = TreeHead(count: 2, root: nodeHash(leaf, sibling))
    let checkpoint = CheckpointFile(try Checkpoint(origin: "a", head: head))
    return TreeProof(index: index, hashes: [sibling], checkpoint: checkpoint)
  }

  @Test("A proof has one exact text, and is read from it, also with an extra line.")
  func text() throws {
    let proof = try proof()
    let hash = encoded(sibling.bytes)
    let checkpoint = proof.checkpoint.text
    #expect(proof.text == "c2sp.org/tlog-proof@v1\nindex 0\n\(hash)\n\n\(checkpoint)")
    #expect(try TreeProof(proof.text) == proof)
    let extra = "c2sp.org/tlog-proof@v1\nextra x\nindex 0\n\(hash)\n\n\(checkpoint)"
    #expect(try TreeProof(extra) == proof)
    try proof.check(leaf)
    #expect(throws: ProofError("The hashes do not lead to the root of the checkpoint.")) {
      try proof.check(sibling)
    }
    #expect(throws: ProofError("The hashes do not lead to the root of the checkpoint.")) {
      try self.proof(1).check(leaf)
    }
  }

  @Test("The error of a malformed proof says what is wrong.")
  func malformed() throws {
    let text = try proof().text
    let hash = encoded(sibling.bytes)
    func refuses(_ part: String, _ other: String, _ reason: String) {
      let altered = text.replacing(part, with: other, maxReplacements: 1)
      #expect(throws: NoteError.malformed(reason), "\(altered)") { try TreeProof(altered) }
    }
    for other in ["c2sp.org/tlog-proof@v2", ""] {
      refuses("c2sp.org/tlog-proof@v1", other, "the first line of the proof is wrong")
    }
    for other in ["index -1", "index 00", "index +0", "index", "Index 0", "", "index 0 "] {
      refuses("index 0", other, "the proof does not have the position of a leaf")
    }
    refuses(
      "index 0",
      "extra a\nextra b\nindex 0",
      "the proof does not have the position of a leaf"
    )
    refuses("index 0", "extra\nindex 0", "the proof does not have the position of a leaf")
    for other in ["A", "AAAA", hash + "A", " " + hash] {
      refuses(hash, other, "the proof has a line without a hash")
    }
  }

  @Test("The error of a malformed proof of a transaction says which part is wrong.")
  func transactions() throws {
    let hash = encoded(sibling.bytes)
    let tree = try proof().text
    func reason(_ statement: String) throws -> NoteError? {
      #expect(throws: NoteError.self) { try TransactionProof(Array(statement.utf8)) }
    }
    let form = NoteError.malformed("the proof is not text with an empty line")
    #expect(throws: form) { try TransactionProof([0xff, 0x0a, 0x0a]) }
    #expect(throws: form) { try TransactionProof(Array("a\nb".utf8)) }
    let ends = NoteError.malformed("the statement of the proof has a wrong beginning or end")
    for statement in [
      "travelog-proof/2\nx\nprevious \(hash)", "travelog-proof/1", "travelog-proof/1\nx",
      "travelog-proof/1\nprevious \(hash)", "travelog-proof/1\nx\ny\nPrevious \(hash)",
      "travelog-proof/1\nx\ny\nprevious A",
    ] {
      #expect(try reason(statement + "\n\n" + tree) == ends, "\(statement)")
    }
    #expect(
      try reason("travelog-proof/1\nx\nprevious \(hash)\n\n" + tree)
        == .malformed("the proof has no line that closes the transaction")
    )
    for line in ["A", "salt AAAA", "lines \(hash)"] {
      #expect(
        try reason("travelog-proof/1\nx\ny\n\(line)\nprevious \(hash)\n\n" + tree)
          == .malformed("the proof has a line without a hash")
      )
    }
    let salt = "salt AAECAwQFBgcICQoLDA0ODw=="
    for (rest, count, isSalted) in [
      ("", 0, false), ("\(salt)\n", 0, true), ("\(hash)\n", 1, false),
    ] {
      let text = "travelog-proof/1\nx\ny\n\(rest)previous \(hash)\n\n" + tree
      let proof = try TransactionProof(Array(text.utf8))
      #expect(proof.text == text && proof.previous == sibling)
      guard case .one(let line, let seed, let path) = proof.lines else {
        Issue.record("no line")
        continue
      }
      #expect(line == Array("x".utf8) && proof.closing == Array("y".utf8))
      #expect(path.count == count && (seed != nil) == isSalted)
      #expect(
        throws: ProofError("The second line does not close a transaction.")
      ) { _ = try proof.check() }
    }
    let root = "travelog-proof/1\ny\nlines \(hash)\nprevious \(hash)\n\n" + tree
    #expect(try TransactionProof(Array(root.utf8)).lines == .root(sibling))
  }

  @Test("A closing line that ends in its digest, or directly after it, closes no transaction.")
  func shortClosing() throws {
    let digits = String(repeating: "0a", count: 32)
    let start = #"{"kind":"transaction","txn":1,"n":1,"op":"recorded","digest":""#
    func check(_ closing: String) throws {
      let whole = TransactionProof(
        lines: .root(leaf),
        closing: Array(closing.utf8),
        previous: sibling,
        tree: try proof()
      )
      _ = try whole.check()
    }
    let short = ProofError("The second line does not close a transaction.")
    for end in ["", String(digits.dropLast()), digits, digits + "\"", digits + #"","meta":"#] {
      #expect(throws: short, "\(end)") { try check(start + end) }
    }
    let closing = start + digits + #"","meta":{"#
    for kind in ["transactiom", "Transaction", "change     "] {
      #expect(throws: short, "\(kind)") {
        try check(closing.replacing("transaction", with: kind))
      }
    }
    // This line has the required form, but the digest is wrong.
    #expect(throws: ProofError("The lines do not lead to the digest of the transaction.")) {
      try check(closing)
    }
  }
}
