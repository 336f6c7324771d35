import Testing

@testable import Format

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
}
