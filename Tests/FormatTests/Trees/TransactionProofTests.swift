import TestSupport
import Testing

@testable import Format

@Suite("Proofs of transactions")
struct TransactionProofTests {
  private let key = [UInt8](repeating: 7, count: 32)

  /// What a proof proves when it was written and read; nil if it is refused.
  private func proven(_ bytes: [UInt8]) -> (transaction: Int64, change: Int64?)? {
    try? TransactionProof(bytes).check()
  }

  @Test("Each line of a transaction of up to 20 lines has a proof, also after lines were erased.")
  func lines() throws {
    for count in 1...20 {
      let whole = TreeTransaction(121, count: count)
      for change in 0..<count {
        let before = try whole.proof(Int64(change))
        for hidden in [[], [change], [0], [count - 1, change / 2]] {
          let erased = TreeTransaction(121, count: count, hiding: Set(hidden))
          #expect(erased.digest == whole.digest)
          let proof = try erased.proof(Int64(change))
          let result = try #require(proven(Array(proof.text.utf8)))
          #expect(result.transaction == 121 && result.change == Int64(change))
          // A proof from before the erasure leads to the same root.
          #expect(before.tree == proof.tree && before.closing == proof.closing)
          #expect(proof.text.contains("\nsalt ") == !hidden.contains(change))
        }
      }
      let result = try #require(proven(Array(whole.proof(nil).text.utf8)))
      #expect(result.transaction == 121 && result.change == nil)
    }
    let empty = TreeTransaction(5, count: 0)
    #expect(proven(Array(try empty.proof(nil).text.utf8))?.transaction == 5)
  }

  @Test("A proof is refused if one byte is altered, or if it was cut or lacks a line.")
  func altered() throws {
    let others = (0..<5).map { TreeTransaction(Int64($0), count: 2).digest }
    let transaction = TreeTransaction(121, count: 5, hiding: [1], details: #"\"digest\":\"x\""#)
    let leaves = others.map { leafHash($0) } + [leafHash(transaction.digest)]
    for change in [nil, 0, 1, 4] as [Int64?] {
      let bytes = Array(try transaction.proof(change, index: 5, leaves: leaves).text.utf8)
      #expect(proven(bytes) != nil)
      // The name of the tree is what its signatures are about.
      let origin = Array("travelog/test/0".utf8)
      for place in bytes.indices {
        for value in [bytes[place] ^ 1, bytes[place] ^ 0x20] {
          var wrong = bytes
          wrong[place] = value
          guard proven(wrong) != nil else { continue }
          let isOrigin = bytes.indices.contains { start in
            bytes[start...].starts(with: origin) && (start..<start + origin.count).contains(place)
          }
          #expect(isOrigin, "\(change ?? -1) \(place): \(String(decoding: wrong, as: UTF8.self))")
        }
        #expect(proven(Array(bytes[..<place])) == nil)
      }
      let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
      for place in lines.indices.dropLast() {
        var wrong = lines
        wrong.remove(at: place)
        #expect(proven(Array(wrong.joined(separator: [0x0a]))) == nil)
        // A checkpoint may have more lines.
        guard place < lines.count - 2 else { continue }
        wrong.insert(lines[place], at: place)
        wrong.insert(lines[place], at: place)
        #expect(proven(Array(wrong.joined(separator: [0x0a]))) == nil)
      }
    }
  }

  @Test("A line of another transaction, or in another place, proves nothing.")
  func otherLines() throws {
    let transaction = TreeTransaction(121, count: 4)
    let other = TreeTransaction(12, count: 4)
    for change in Int64(0)..<4 {
      let proof = try transaction.proof(change)
      guard case .one(let line, let salt, let path) = proof.lines else { continue }
      func isProven(_ line: [UInt8], _ salt: Seed?) -> Bool {
        let other = TransactionProof(
          lines: .one(line, salt: salt, path: path),
          closing: proof.closing,
          previous: proof.previous,
          tree: proof.tree
        )
        return (try? other.check()) != nil
      }
      #expect(isProven(line, salt))
      #expect(!isProven(line, nil))
      for text in [#""seq":\#(change)"#, #""txn":121"#, #""n":4"#, "10:00:00"] {
        let altered = String(decoding: line, as: UTF8.self).replacing(text, with: text + "0")
        #expect(!isProven(Array(altered.utf8), salt), "\(text)")
      }
      // Values are shown with a salt, or hidden by their digest, and never both.
      let covered = try CoveredLine(line)
      let values = line[covered.values].withUnsafeBytes { bytes in
        salt.map { valuesDigest(bytes, salt: $0) }
      }
      let hidden = Array(#","values":"\#(try #require(values))""#.utf8)
      let start = Array(line[covered.prefix] + hidden + [0x2c] + line[covered.known])
      #expect(isProven(start + [0x7d], nil))
      #expect(!isProven(start + [0x7d], salt))
      #expect(!isProven(start + Array(line[covered.values]) + [0x7d], nil))
      guard case .one(let foreign, let seed, _) = try other.proof(change).lines else { continue }
      #expect(!isProven(foreign, seed))
    }
  }

  @Test("Seeds that are missing, doubled or of another shape give no proof.")
  func seeds() throws {
    let lines = TreeTransaction(121, count: 4).lines
    for wrong in [Array(lines.dropFirst()), [lines[0]] + lines, lines.reversed()] {
      #expect(throws: ProofError.self) {
        var proven = ProvenLines(count: 4, change: 2)
        for line in wrong { try proven.take(line) }
        _ = try proven.finish()
      }
    }
    for change in [-1, 4] as [Int64] {
      #expect(throws: ProofError.self) {
        var proven = ProvenLines(count: 4, change: change)
        for line in lines { try proven.take(line) }
        _ = try proven.finish()
      }
    }
  }

  @Test(
    "Besides the lines shown, a proof has at most 2 KB for 1,000 changes, and 2.5 KB for a million."
  )
  func sizes() throws {
    // The sizes follow from the lengths of the two paths, among five million transactions.
    let index: Int64 = 4_711_888
    let origin = "travelog/45CEAB7E-97C2-44B8-BEC8-8E33FD0553A6/0"
    let hash = SHA256.digest(of: [])
    for (count, limit) in [(1000, 2048), (1_000_000, 2560)] as [(Int64, Int)] {
      let head = TreeHead(count: 5_000_000, root: hash)
      var file = CheckpointFile(try Checkpoint(origin: origin, head: head))
      try file.sign(key)
      let path = inclusionPath(of: 0, in: count).map { _ in hash }
      let proof = TransactionProof(
        lines: .one([], salt: Seed(bytes: Array(0..<16)), path: path),
        closing: [],
        previous: hash,
        tree: TreeProof(
          index: index,
          hashes: inclusionPath(of: index, in: head.count).map { _ in hash },
          checkpoint: file
        )
      )
      #expect(proof.text.utf8.count <= limit, "\(count) changes: \(proof.text.utf8.count) bytes")
    }
  }

  @Test("The second part of a proof is one that c2sp.org/tlog-proof defines, with the signatures.")
  func secondPart() throws {
    let transaction = TreeTransaction(121, count: 3)
    let leaves = (0..<4).map { TreeTransaction(Int64($0), count: 1).digest } + [transaction.digest]
    let proof = try transaction.proof(1, index: 4, leaves: leaves.map { leafHash($0) })
    var file = proof.tree.checkpoint
    try file.sign(key)
    try file.sign(key)
    #expect(file.note?.signatures.count == 1)
    let signed = TreeProof(index: 4, hashes: proof.tree.hashes, checkpoint: file)
    #expect(try TreeProof(signed.text) == signed)
    try signed.check(leafHash(transaction.digest))
    #expect(throws: ProofError.self) { try signed.check(leafHash(transaction.previous)) }
    let known = try NoteKey(name: "travelog/test/0", bytes: ed25519PublicKey(of: key))
    #expect(try file.signers(among: [known]) == [known])
    #expect(throws: NoteError.unsigned) { try proof.tree.checkpoint.signers(among: [known]) }
    let extra = signed.text.replacing("index 4\n", with: "extra AAAA\nindex 4\n")
    #expect(try TreeProof(extra) == signed)
    for wrong in ["index 04", "index +4", "index -4", "index", "index 4 "] {
      let text = signed.text.replacing("index 4\n", with: wrong + "\n")
      #expect(throws: NoteError.self, "\(wrong)") { try TreeProof(text) }
    }
  }
}
