import Testing

@testable import Format

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
    #expect(throws: ProofError.self) { try proof.check(sibling) }
    #expect(throws: ProofError.self) { try self.proof(1).check(leaf) }
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
