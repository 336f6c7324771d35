import Testing

@testable import Format

@Suite("The lines of a transaction")
struct TransactionLinesTests {
  private let plain = Transaction(
    id: 3,
    time: "2026-11-23T12:00:00.000001Z",
    schema: "s",
    count: 2
  )

  private func closing(_ transaction: Transaction, digest: Digest? = nil) -> String {
    text { TransactionLines(transaction).appendClosing(digest: digest, to: &$0) }
  }

  @Test("The line of a change has only the members that the change has.")
  func changes() {
    func line(_ change: SampleChange, _ transaction: Transaction) -> String {
      change.withChange { change in text { TransactionLines(transaction).append(change, to: &$0) } }
    }
    let beginning = #"{"kind":"change","txn":3,"seq":"#
    #expect(
      line(SampleChange(kind: .delete, entity: "A\"b"), plain)
        == beginning + #"0,"n":2,"ts":"2026-11-23T12:00:00.000001Z","op":"delete","#
        + #""entity":"A\"b","id":"7"}"# + "\n"
    )
    var authored = plain
    authored.author = "a\n"
    var change = SampleChange(kind: .update, sequence: 12, entity: "E", object: -4)
    change.changed = "1"
    change.before = "2"
    change.after = "3"
    change.special = "4"
    change.large = "5"
    #expect(
      line(change, authored)
        == beginning + #"12,"n":2,"ts":"2026-11-23T12:00:00.000001Z","author":"a\n","#
        + #""op":"update","entity":"E","id":"-4","changed":1,"before":2,"after":3,"special":4,"#
        + #""large":5}"# + "\n"
    )
  }

  @Test("The closing line has only the properties that the transaction has.")
  func closings() {
    let beginning = #"{"kind":"transaction","txn":3,"n":2,"ts":"2026-11-23T12:00:00.000001Z","#
    #expect(
      closing(plain) == beginning + #""op":"# + #""\#(plain.operation.rawValue)","#
        + #""meta":{"schema":"s"}}"# + "\n"
    )
    var full = plain
    full.author = "me"
    full.reason = "a\n\",\"digest\":\""
    full.request = "r"
    full.operation = .gap
    full.process = "app"
    full.processID = 9
    full.host = "h"
    full.bundle = "b"
    full.details = #"{"first":1}"#
    let digest = SHA256.digest(of: [1])
    #expect(
      closing(full, digest: digest)
        == beginning + #""author":"me","op":"gap","reason":"a\n\",\"digest\":\"","request":"r","#
        + #""digest":"\#(digest)","meta":{"process":"app","#
        + #""pid":9,"host":"h","bundle":"b","schema":"s","details":"{\"first\":1}"}}"#
        + "\n"
    )
  }

  @Test("The first line of a whole transaction has its seed; after an erasure, lines have theirs.")
  func leaves() {
    var whole = plain
    whole.seed = Seed(bytes: Array(0..<16))
    func line(_ sequence: Int64, _ leaf: String, _ transaction: Transaction) -> String {
      SampleChange(kind: .delete, sequence: sequence, entity: "E").withChange { change in
        bytes(leaf) { leaf in
          var change = change
          change.leaf = leaf
          return text { TransactionLines(transaction).append(change, to: &$0) }
        }
      }
    }
    let end = #""op":"delete","entity":"E","id":"7"}"# + "\n"
    #expect(line(0, "", whole).hasSuffix(#"Z","seed":"2:AAECAwQFBgcICQoLDA0ODw==","# + end))
    #expect(line(1, "", whole).hasSuffix(#"Z","# + end))
    #expect(line(0, "", plain).hasSuffix(#"Z","# + end))
    for transaction in [plain, whole] {
      #expect(line(0, #""values":"0""#, transaction).hasSuffix(#"Z","values":"0","# + end))
      #expect(line(1, #""values":"0""#, transaction).hasSuffix(#"Z","values":"0","# + end))
    }
  }

  @Test("The digest before a lineage's first transaction is that of the lineage's name.")
  func beginning() {
    let first = TransactionDigest.beginning(ofStore: "s", lineage: 0)
    #expect(first == SHA256.digest(of: Array("travelog/1 s 0".utf8)))
  }

  @Test("A gap is read only from the details of a gap, in their exact form.")
  func gaps() {
    let gap = Gap(first: 2, resumes: SHA256.digest(of: [2]))
    var transaction = plain
    transaction.digest = SHA256.digest(of: [3])
    transaction.details = gap.details
    #expect(transaction.gap == nil && transaction.chainDigest == transaction.digest)
    #expect(transaction.follows(3) && !transaction.follows(2) && !transaction.follows(4))
    transaction.operation = .gap
    #expect(transaction.gap == gap && transaction.chainDigest == gap.resumes)
    #expect(transaction.follows(3) && transaction.follows(2))
    #expect(!transaction.follows(1) && !transaction.follows(4))
    for details in [
      gap.details.replacing(":2,", with: ":02,"), gap.details.replacing("}", with: #","a":1}"#),
      gap.details.replacing(":2,", with: ":x,"), gap.details.replacing("\"}", with: "0\"}"), "",
    ] {
      transaction.details = details
      #expect(transaction.gap == nil, "\(details)")
    }
  }
}
