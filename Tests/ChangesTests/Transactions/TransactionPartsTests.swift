import Testing

@testable import Changes

@Suite("The parts of a transaction")
struct TransactionPartsTests {
  private let digest = SHA256.digest(of: [2])

  private func transaction(
    _ operation: TransactionOperation,
    details: String?,
    id: Int64 = 9
  ) -> Transaction {
    Transaction(id: id, time: "t", operation: operation, schema: "s", count: 2, details: details)
  }

  @Test("A mark is read from the last member of the details of a mark or of a pruning.")
  func marks() {
    for kind in [Mark.Kind.snapshot, .gap] {
      let mark = Mark(kind, transaction: 8, digest: digest)
      #expect(mark.member == #""\#(kind.rawValue)":{"txn":8,"digest":"\#(digest)"}"#)
      for operation in TransactionOperation.allCases {
        let isRead = operation == .mark || operation == .prune
        #expect(transaction(operation, details: "{\(mark.member)}").mark == (isRead ? mark : nil))
        let later = #"{"first":1,\#(mark.member)}"#
        #expect(transaction(operation, details: later).mark == (isRead ? mark : nil))
      }
      #expect(transaction(.mark, details: nil).mark == nil)
      #expect(transaction(.mark, details: "{\(mark.member)}", id: 8).mark == nil)
      #expect(transaction(.mark, details: "{\(mark.member)}", id: 7).mark == nil)
      for (part, other) in [
        (":8,", ":08,"), (":8,", ":+8,"), (":8,", ":x,"), ("}", #","a":1}"#), ("\"}", "0\"}"),
        ("snapshot", "Snapshot"), ("gap", "other"), (#""txn""#, #""id""#), (#""digest""#, #""d""#),
      ] where mark.member.contains(part) {
        let details = "{\(mark.member.replacing(part, with: other))}"
        #expect(transaction(.mark, details: details).mark == nil, "\(details)")
      }
    }
    #expect(transaction(.mark, details: "{}").mark == nil)
    #expect(transaction(.mark, details: "").mark == nil)
  }

  @Test("A line that replaces omitted lines has their number and the root of their subtree.")
  func omitted() {
    let lines = TransactionLines(transaction(.recorded, details: nil))
    #expect(
      text { lines.appendOmitted(2..<6, root: digest, to: &$0) }
        == #"{"kind":"omitted","txn":9,"seq":2,"n":2,"count":4,"digest":"\#(digest)"}"# + "\n"
    )
    #expect(
      text { lines.appendOmitted(body: digest, to: &$0) }
        == #"{"kind":"omitted","txn":9,"digest":"\#(digest)"}"# + "\n"
    )
  }

  @Test("The leaf of a change is the one in its line, or the seed in the first line.")
  func leaves() throws {
    var whole = transaction(.recorded, details: nil)
    whole.seed = Seed(bytes: Array(0..<16))
    let seed = try #require(whole.seed)
    func leaf(_ sequence: Int64, _ text: String, _ transaction: Transaction) -> LineLeaf? {
      SampleChange(kind: .delete, sequence: sequence).withChange { change in
        bytes(text) { leaf in
          var change = change
          change.leaf = leaf
          return TransactionLines(transaction).leaf(of: change)
        }
      }
    }
    #expect(leaf(0, "", whole) == .seed(lines: 2, seed) && leaf(1, "", whole) == nil)
    #expect(leaf(0, "", transaction(.recorded, details: nil)) == nil)
    let hidden = #""values":"\#(digest)""#
    #expect(leaf(0, hidden, whole) == .hidden(values: digest, salt: nil))
    #expect(leaf(1, hidden, whole) == .hidden(values: digest, salt: nil))
  }

  @Test("A kind of change is read only from its exact name.")
  func kinds() {
    for kind in ChangeKind.allCases {
      #expect(kind.withName { $0.elementsEqual(kind.rawValue.utf8) })
      #expect(bytes(kind.rawValue, ChangeKind.init(name:)) == kind)
      for other in [
        "", String(kind.rawValue.dropLast()), kind.rawValue + "s", kind.rawValue.uppercased(),
        String(kind.rawValue.prefix(1)),
      ] {
        #expect(bytes(other, ChangeKind.init(name:)) == nil)
      }
    }
  }

  @Test("A change is of an object if the object's number or the bytes of its name are the same.")
  func objects() throws {
    let name = ObjectID(try #require(RowName(key: [.text("\u{e9}")], rowid: nil)))
    let decomposed = ObjectID(try #require(RowName(key: [.text("e\u{301}")], rowid: nil)))
    SampleChange(kind: .delete, object: 7).withChange { change in
      #expect(change.id == 7 && change.isOf(7) && !change.isOf(8) && !change.isOf(name))
      #expect(!change.isHidden)
      var named = change
      named.object = 0
      bytes(name.description) {
        named.name = $0
        #expect(named.id == name && named.isOf(name))
        #expect(!named.isOf(decomposed) && !named.isOf(0) && !named.isOf(7))
      }
    }
  }

  @Test("The description of a leaf is read only from its exact text.")
  func leafTexts() throws {
    let seed = try #require(Seed(bytes: Array(0..<16)))
    let base64 = "AAECAwQFBgcICQoLDA0ODw=="
    let texts: [(LineLeaf, String)] = [
      (.seed(lines: 12, seed), #""seed":"12:\#(base64)""#),
      (.hidden(values: digest, salt: nil), #""values":"\#(digest)""#),
      (.hidden(values: digest, salt: seed), #""values":"\#(digest)","salt":"\#(base64)""#),
    ]
    for (leaf, expected) in texts {
      #expect(text { leaf.append(to: &$0) } == expected)
      #expect(bytes(expected, LineLeaf.init) == leaf)
      for count in 0..<expected.utf8.count {
        let part = String(expected.prefix(count))
        #expect(bytes(part, LineLeaf.init) == nil || count == 75, "\(part)")
        let place = expected.utf8.index(expected.startIndex, offsetBy: count)
        var other = expected
        other.replaceSubrange(place...place, with: "~")
        #expect(bytes(other, LineLeaf.init) == nil, "\(other)")
      }
      #expect(bytes(expected + "\"", LineLeaf.init) == nil)
    }
  }

  @Test("A change is hidden if its leaf has a digest of values, and a broken name is not an id.")
  func hiddenChanges() {
    let seed = #""seed":"2:AAECAwQFBgcICQoLDA0ODw==""#
    let hidden = #""values":"\#(digest)""#
    SampleChange(kind: .delete, object: 7).withChange { change in
      for (leaf, isHidden) in [("", false), (seed, false), (hidden, true), (hidden + "x", false)] {
        bytes(leaf) {
          var change = change
          change.leaf = $0
          #expect(change.isHidden == isHidden, "\(leaf)")
        }
      }
      bytes("x") {
        var change = change
        change.name = $0
        #expect(change.id == 7 && !change.isOf(7))
      }
    }
    #expect(transaction(.recorded, details: nil).firstChange == 0)
    #expect(transaction(.recorded, details: nil).state == .whole)
  }
}
