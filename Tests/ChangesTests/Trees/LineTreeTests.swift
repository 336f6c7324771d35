import Testing

@testable import Changes

@Suite("The tree over the lines of a transaction")
struct LineTreeTests {
  private let seed = Seed(random: Array("seed".utf8))
  private let previous = SHA256.digest(of: [1])

  private func change(_ sequence: Int) -> SampleChange {
    var change = SampleChange.update
    change.sequence = Int64(sequence)
    change.after = #"{"name":"\#(sequence)"}"#
    return change
  }

  private func transaction(_ count: Int) -> Transaction {
    Transaction(id: 3, time: "t", schema: "s", count: Int64(count), seed: count > 0 ? seed : nil)
  }

  /// What lines say of their leaves if some of them are erased, all at once or one set after another.
  private func leaves(_ count: Int, erasing sets: [Set<Int64>]) throws -> [LineLeaf?] {
    var leaves: [LineLeaf?] = (0..<count).map {
      $0 == 0 ? .seed(lines: Int64(count), seed) : nil
    }
    for hidden in sets {
      var hiding = LineHiding(count: Int64(count), hiding: hidden.sorted().makeIterator())
      leaves = try leaves.enumerated().map { index, leaf in
        let secret = try hiding.next(leaf)
        #expect(secret.isHidden == { if case .hidden = leaf { true } else { false } }())
        guard hidden.contains(Int64(index)) else { return secret.leaf }
        return change(index).withChange { secret.erased($0) }
      }
    }
    return leaves
  }

  private func digests(_ leaves: [LineLeaf?]) throws -> LineDigests {
    var transaction = transaction(leaves.count)
    transaction.seed = nil
    var digest = TransactionDigest(transaction, after: previous)
    for (index, leaf) in leaves.enumerated() {
      var text: [UInt8] = []
      leaf?.append(to: &text)
      change(index).withChange { change in
        text.withUnsafeBytes {
          var change = change
          change.leaf = $0
          digest.take(change)
        }
      }
    }
    return try digest.close(TransactionLines(transaction))
  }

  @Test("A transaction has the digest that FORMAT.md defines, whichever of its lines are erased.")
  func everySet() throws {
    for count in 0...6 {
      let whole = transaction(count)
      let lines = TransactionLines(whole)
      var hashes: [Digest] = []
      for (index, salt) in Salts(SeededRange(0..<Int64(count), seed)).enumerated() {
        let known = #""op":"update","entity":"Trip","id":"7","changed":["name","leader"]"#
        let values =
          #","before":{"name":"ab","leader":null},"after":{"name":"\#(index)"}"#
        hashes.append(
          SHA256.digest(
            of: [0] + SHA256.digest(of: Array(known.utf8)).bytes
              + SHA256.digest(of: [3] + salt.bytes + Array(values.utf8)).bytes
          )
        )
      }
      let closing = Array(text { lines.appendClosing(digest: nil, to: &$0) }.utf8)
      let body = SHA256.digest(of: [5] + definedRoot(hashes[...]).bytes + closing)
      let expected = SHA256.digest(of: [6] + previous.bytes + body.bytes)
      var digest = TransactionDigest(whole, after: previous)
      var other = digest
      for index in 0..<count {
        change(index).withChange {
          digest.take($0)
          other.take($0)
        }
      }
      #expect(try digest.close(lines) == LineDigests(transaction: expected))
      #expect(try other.body(lines) == body)

      let all = Set(0..<Int64(count))
      for bits in 0..<1 << count {
        let erased = all.filter { bits >> $0 & 1 == 1 }
        let once = try leaves(count, erasing: [erased])
        let given = try digests(once)
        #expect(given.transaction == expected)
        #expect((given.remaining == nil) == erased.isEmpty)
        #expect(given.remaining != expected)
        for first in 0..<1 << count where first & bits == first {
          let parts = [
            erased.filter { first >> $0 & 1 == 1 }, erased.filter { first >> $0 & 1 == 0 },
          ]
          #expect(try leaves(count, erasing: parts) == once)
        }
      }
    }
  }

  @Test("A second erasure of a line keeps the digest of its values, and makes the next salt.")
  func twice() throws {
    let once = try leaves(5, erasing: [[3]])
    let twice = try leaves(5, erasing: [[3], [3]])
    guard case .hidden(let values, let salt) = once[3], case .hidden(values, let next) = twice[3]
    else {
      Issue.record("line 3 is not hidden")
      return
    }
    #expect(next == salt?.restated && next != salt)
    #expect(try digests(twice).transaction == digests(once).transaction)
    #expect(try digests(twice).remaining != digests(once).remaining)
  }

  @Test("Omitted lines are replaced by the fewest subtrees, and any other replacement is refused.")
  func everyOmission() throws {
    for count in 1...7 {
      let whole = try digests(leaves(count, erasing: [])).transaction
      for bits in 1..<1 << count {
        let omitted = Set((0..<Int64(count)).filter { bits >> $0 & 1 == 1 })
        let leaves = try leaves(count, erasing: [omitted])
        var hashes: [Digest] = []
        for index in 0..<count {
          let salt = SeededRange(0..<Int64(count), seed).salt(of: Int64(index))
          hashes.append(
            change(index).withChange { $0.lineHash(values: $0.valuesDigest(salt: salt)) }
          )
        }
        /// The lines with runs as they are cut by a rule.
        func digest(merging: Bool) throws -> Digest {
          var tree = LineTree(count: Int64(count))
          var run = OmittedLines(count: Int64(count))
          func close() {
            for subtree in run.subtrees {
              tree.append(omitted: subtree.root, lines: Int64(subtree.lines.count))
            }
            run.removeAll()
          }
          for index in 0..<count {
            if omitted.contains(Int64(index)) {
              run.append(Int64(index), hash: hashes[index])
              if !merging { close() }
              continue
            }
            close()
            var buffer: [UInt8] = []
            let end = change(index).withChange {
              TransactionLines.appendParts(of: $0, to: &buffer)
            }
            buffer.withUnsafeBytes {
              tree.append(
                known: UnsafeRawBufferPointer(rebasing: $0[..<end]),
                values: UnsafeRawBufferPointer(rebasing: $0[end...]),
                leaf: leaves[index]
              )
            }
          }
          close()
          let lines = TransactionLines(transaction(count))
          return try Array(text { lines.appendClosing(digest: nil, to: &$0) }.utf8)
            .withUnsafeBytes { try tree.close($0, after: previous).transaction }
        }
        #expect(try digest(merging: true) == whole)
        let isOneEach = (0..<count - 1).allSatisfy {
          !(omitted.contains(Int64($0)) && omitted.contains(Int64($0) + 1)) || $0 % 2 == 1
        }
        if isOneEach {
          #expect(try digest(merging: false) == whole)
        } else {
          #expect(throws: ProofError.self) { try digest(merging: false) }
        }
      }
    }
  }

  @Test("The text about a line's leaf has one spelling, and any other is refused.")
  func spelling() throws {
    let values = SHA256.digest(of: [2])
    for leaf: LineLeaf in [
      .seed(lines: 1, seed), .seed(lines: 1_234_567, seed), .hidden(values: values, salt: nil),
      .hidden(values: values, salt: seed),
    ] {
      let written = Array(text { leaf.append(to: &$0) }.utf8)
      func read(_ bytes: [UInt8]) -> LineLeaf? { bytes.withUnsafeBytes { LineLeaf($0) } }
      #expect(read(written) == leaf)
      for place in written.indices {
        #expect(read(Array(written[..<place])) == nil || place == 75)
        for byte in Array("\"\\0aA=:-, ".utf8) + [0, 0xff] where byte != written[place] {
          var changed = written
          changed[place] = byte
          guard let other = read(changed) else { continue }
          #expect(Array(text { other.append(to: &$0) }.utf8) == changed)
        }
      }
      #expect(read(written + [0x22]) == nil && read([0x2c] + written) == nil)
    }
  }

  @Test("Lines without their seeds, or too few lines, give no digest.")
  func refusals() throws {
    let whole = try leaves(4, erasing: [])
    let erased = try leaves(4, erasing: [[2]])
    let others = SeededRange(0..<4, seed)
    for wrong: [LineLeaf?] in [
      [nil] + whole.dropFirst(), whole.dropLast(), whole + [nil],
      [.seed(lines: 3, seed), nil, nil, nil], [.seed(lines: 5, seed), nil, nil, nil],
      [.seed(lines: 0, seed), nil, nil, nil], [.seed(lines: -1, seed), nil, nil, nil],
      erased.dropLast() + [nil], [nil] + erased.dropFirst(), whole.prefix(3) + [erased[2]],
      [.seed(lines: 1, others.salt(of: 0)), .seed(lines: 1, others.salt(of: 1))]
        + erased.dropFirst(2),
    ] {
      #expect(throws: ProofError.self) { try digests(Array(wrong)) }
    }
  }

  private let root = SHA256.digest(of: [2])

  /// The digest of the body of a transaction of three lines, of which these subtrees are left out.
  private func body(omitting subtrees: [Int64], leaf: String = "") throws -> Digest {
    var tree = LineTree(count: 3)
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    for lines in subtrees {
      if lines == 0 {
        bytes(leaf) { tree.append(known: nothing, values: nothing, members: $0) }
      } else {
        tree.append(omitted: root, lines: lines)
      }
    }
    return try bytes("closing") { closing in Result { try tree.body(closing) } }.get()
  }

  @Test("Lines that are left out must be as few subtrees as possible, and the error says so.")
  func omissions() throws {
    let expected = bytes("closing") { bodyDigest(lines: root, closing: $0) }
    #expect(try body(omitting: [3]) == expected)
    func refuses(_ subtrees: [Int64], _ reason: String) {
      #expect(throws: ProofError(reason), "\(subtrees)") { try body(omitting: subtrees, leaf: "x") }
    }
    refuses([2, 1], "The lines that are left out before line 3 must be one subtree")
    refuses([1, 1, 1], "The lines that are left out before line 2 must be one subtree")
    refuses([1, 2], "A tree of size 1 can't continue with a subtree of size 2")
    refuses([4], "After 0 of 3 lines there can't be 4 more")
    refuses([2], "The number of lines is 2 instead of 3")
    refuses([], "The number of lines is 0 instead of 3")
    refuses([0], "The leaf of a line does not have the required form")
    // The first error is the one that is thrown.
    refuses([0, 9], "The leaf of a line does not have the required form")
    refuses([9, 0], "After 0 of 3 lines there can't be 9 more")
    refuses([4, 3], "After 0 of 3 lines there can't be 4 more")
    #expect(throws: ProofError("After 0 of 3 lines there can't be 9 more")) {
      try body(omitting: [9, 0])
    }
    for lines: [Int64] in [[0], [0, 0], [0, 3], [0, 9]] {
      #expect(throws: ProofError("Line 0 of 3 has neither a seed nor a digest of the values")) {
        try body(omitting: lines)
      }
    }
  }

  @Test("The lines digest covers erased lines, and also lines that are hidden or left out.")
  func remaining() throws {
    let salt = seed.restated
    let (first, second) = (SHA256.digest(of: [3]), SHA256.digest(of: [4]))
    func digest(_ left: Digest, _ right: Digest) -> Digest {
      let lines = nodeHash(left, right)
      return bytes("closing") {
        transactionDigest(after: previous, body: bodyDigest(lines: lines, closing: $0))
      }
    }
    try Array("knownvalues".utf8).withUnsafeBytes { line throws in
      let known = UnsafeRawBufferPointer(rebasing: line[..<5])
      let values = UnsafeRawBufferPointer(rebasing: line[5...])
      func close(_ tree: LineTree) throws -> LineDigests {
        try bytes("closing") { closing in
          Result { try tree.close(closing, after: previous) }
        }
        .get()
      }
      let left = valuesDigest(values, salt: salt)
      let before = lineHash(known, values: first)
      let after = lineHash(known, values: left)
      let hidden = lineHash(known, values: second)
      var erased = LineTree(count: 2)
      erased.append(known: known, values: values, leaf: .hidden(values: first, salt: salt))
      var omitting = erased
      omitting.append(omitted: root, lines: 1)
      let restated = [RestatedLine(sequence: 0, values: left)]
      #expect(
        try close(omitting)
          == LineDigests(
            transaction: digest(before, root),
            remaining: digest(after, root),
            restated: restated
          )
      )
      var hiding = erased
      hiding.append(known: known, values: values, leaf: .hidden(values: second, salt: nil))
      #expect(
        try close(hiding)
          == LineDigests(
            transaction: digest(before, hidden),
            remaining: digest(after, hidden),
            restated: restated
          )
      )
      var late = LineTree(count: 2)
      late.append(known: known, values: values, leaf: .hidden(values: second, salt: nil))
      late.append(known: known, values: values, leaf: .hidden(values: first, salt: salt))
      #expect(
        try close(late)
          == LineDigests(
            transaction: digest(hidden, before),
            remaining: digest(hidden, after),
            restated: [RestatedLine(sequence: 1, values: left)]
          )
      )
      var plain = LineTree(count: 2)
      plain.append(known: known, values: values, leaf: .hidden(values: second, salt: nil))
      plain.append(omitted: root, lines: 1)
      #expect(try close(plain) == LineDigests(transaction: digest(hidden, root)))
    }
  }

  @Test("A line is hidden after others were left out, and the seeds of the other lines remain.")
  func hidingAfterOmission() throws {
    let half = SeededRange(2..<4, seed)
    let salts = Array(Salts(half))
    var hiding = LineHiding(count: 4, hiding: CollectionOfOne(Int64(3)).makeIterator())
    #expect(throws: ProofError("After 0 of 4 lines there can't be 5 more")) { try hiding.skip(5) }
    try hiding.skip(2)
    let third = try hiding.next(.seed(lines: 2, seed))
    #expect(third.leaf == .seed(lines: 1, salts[0]) && !third.isHidden)
    let fourth = try hiding.next(nil)
    #expect(fourth.leaf == nil && !fourth.isHidden)
    change(3).withChange { change in
      let values = change.valuesDigest(salt: salts[1])
      #expect(fourth.values(of: change) == values)
      #expect(fourth.erased(change) == .hidden(values: values, salt: salts[1].restated))
      let none = LineSecret(leaf: nil, salt: nil, values: nil)
      #expect(none.erased(change) == nil && none.values(of: change) == nil && !none.isHidden)
      let filtered = LineSecret(leaf: nil, salt: nil, values: root)
      #expect(filtered.erased(change) == nil && filtered.values(of: change) == root)
      #expect(filtered.isHidden)
      let erased = LineSecret(leaf: nil, salt: seed, values: root)
      #expect(erased.erased(change) == .hidden(values: root, salt: seed.restated))
      #expect(erased.values(of: change) == root)
    }
  }
}
