import Testing

@testable import Changes

@Suite("The salts of the lines of a transaction")
struct LineSaltsTests {
  private let seed = Seed(random: [1])

  @Test("A seed must cover a subtree of the lines that begins at its line.")
  func subtrees() throws {
    for count in Int64(1)...9 {
      for start in 0..<count {
        for lines in Int64(-1)...count + 1 {
          var salts = LineSalts(count: count)
          if start > 0 { try salts.skip(start) }
          let isNode = lines > 0 && (start..<start + lines).isNode(ofLeaves: count)
          if isNode {
            let expected = Array(Salts(SeededRange(start..<start + lines, seed)))
            #expect(try salts.next(lines, seed) == expected[0])
            for salt in expected.dropFirst() { #expect(try salts.next() == salt) }
            if start + lines < count { try salts.skip(count - start - lines) }
            try salts.finish()
          } else {
            #expect(
              throws: ProofError(
                "Line \(start) of \(count) must not have a seed for \(countText(Int(lines), noun: "line"))"
              )
            ) { try salts.next(lines, seed) }
          }
        }
      }
    }
    var salts = LineSalts(count: 2)
    #expect(throws: ProofError("Line 0 of 2 must not have a seed for \(Int64.max) lines")) {
      try salts.next(.max, seed)
    }
  }

  @Test("Two seeds whose subtrees are the children of one node are refused.")
  func siblings() throws {
    var salts = LineSalts(count: 4)
    _ = try salts.next(1, seed)
    let refusal = ProofError(
      "Line 1 of 4 has a seed, but the seed of a larger subtree must cover it"
    )
    #expect(throws: refusal) { try salts.next(1, seed) }
    var apart = LineSalts(count: 4)
    try apart.skip(1)
    _ = try apart.next(1, seed)
    _ = try apart.next(2, seed)
    _ = try apart.next()
    try apart.finish()
    var separated = LineSalts(count: 4)
    _ = try separated.next(1, seed)
    try separated.skip(1)
    _ = try separated.next(1, seed)
    #expect(throws: ProofError("The number of lines is 3 instead of 4")) {
      try separated.finish()
    }
  }

  @Test("A line needs a seed or a digest, and can't have both.")
  func lines() throws {
    var salts = LineSalts(count: 2)
    #expect(
      throws: ProofError("Line 0 of 2 has neither a seed nor a digest of the values")
    ) { try salts.next() }
    _ = try salts.next(2, seed)
    let both = ProofError("Line 1 of 2 has both a seed and a digest of the values")
    #expect(throws: both) { try salts.skip(1) }
    #expect(throws: ProofError("Line 1 of 2 must not have a seed for 1 line")) {
      try salts.next(1, seed)
    }
    _ = try salts.next()
    #expect(
      throws: ProofError("Line 2 of 2 has neither a seed nor a digest of the values")
    ) { try salts.next() }
    try salts.finish()
  }

  @Test("Skipped lines must be lines of the transaction.")
  func skipping() throws {
    var salts = LineSalts(count: 3)
    try salts.skip(0)
    try salts.skip(1)
    #expect(throws: ProofError("After 1 of 3 lines there can't be 3 more")) { try salts.skip(3) }
    #expect(throws: ProofError("After 1 of 3 lines there can't be -1 more")) { try salts.skip(-1) }
    #expect(throws: ProofError("The number of lines is 1 instead of 3")) { try salts.finish() }
    try salts.skip(2)
    try salts.finish()
    #expect(throws: ProofError("After 3 of 3 lines there can't be 1 more")) { try salts.skip(1) }
    try LineSalts(count: 0).finish()
  }

  @Test("A tree accepts a subtree only where a tree can have one.")
  func treeSubtrees() throws {
    let root = SHA256.digest(of: [1])
    for count in Int64(0)...12 {
      for lines in Int64(-1)...13 {
        var tree = MerkleTree((0..<count).map { SHA256.digest(of: [UInt8($0)]) })
        let fits = lines > 0 && (count..<count + lines).isNode(ofLeaves: count + lines)
        let isWhole = lines > 0 && lines & (lines - 1) == 0 && count % lines == 0
        if fits || isWhole {
          try tree.append(root, ofLeaves: lines)
          #expect(tree.count == count + lines)
          guard !isWhole else { continue }
          #expect(
            throws: ProofError(
              "A tree of size \(count + lines) can't continue with a subtree of size 1"
            )
          ) { try tree.append(root, ofLeaves: 1) }
        } else {
          #expect(
            throws: ProofError(
              "A tree of size \(count) can't continue with a subtree of size \(lines)"
            )
          ) { try tree.append(root, ofLeaves: lines) }
          #expect(tree.count == count)
        }
      }
    }
  }

  @Test("The errors of proofs of inclusion and of consistency say what is wrong.")
  func proofs() throws {
    let leaf = SHA256.digest(of: [1])
    for index: Int64 in [-1, 3, 4] {
      #expect(throws: ProofError("A tree of size 3 has no leaf \(index)")) {
        try inclusionRoot(of: leaf, at: index, in: 3, by: [])
      }
    }
    for count in [0, 1, 3] {
      #expect(throws: ProofError("The number of hashes in the proof is \(count) instead of 2")) {
        let hashes = [Digest](repeating: leaf, count: count)
        _ = try inclusionRoot(of: leaf, at: 0, in: 3, by: hashes)
      }
    }
    #expect(try inclusionRoot(of: leaf, at: 0, in: 1, by: []) == leaf)
    let three = TreeHead(count: 3, root: leaf)
    for count: Int64 in [-1, 4] {
      #expect(throws: ProofError("A tree of size 3 can't begin with a tree of size \(count)")) {
        try checkConsistency(from: TreeHead(count: count, root: leaf), to: three, by: [])
      }
    }
    try checkConsistency(from: three, to: three, by: [])
    let different = ProofError(
      "The proof does not show that the newer tree begins with the older tree"
    )
    let other = TreeHead(count: 3, root: SHA256.digest(of: [2]))
    #expect(throws: different) { try checkConsistency(from: three, to: other, by: []) }
    let empty = TreeHead(count: 0, root: MerkleTree().root)
    try checkConsistency(from: empty, to: three, by: [])
    try checkConsistency(from: empty, to: empty, by: [])
    let wrong = TreeHead(count: 0, root: leaf)
    #expect(throws: different) { try checkConsistency(from: wrong, to: three, by: []) }
    #expect(throws: different) { try checkConsistency(from: empty, to: wrong, by: []) }
  }
}
