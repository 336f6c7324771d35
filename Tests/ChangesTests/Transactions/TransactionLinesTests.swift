import Testing

@testable import Changes

@Suite("The lines of a transaction")
struct TransactionLinesTests {
  private let plain = Transaction(
    id: 3,
    time: "2026-11-23T12:00:00.000001Z",
    schema: "s",
    count: 2,
    salt: []
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
    full.operation = .gap
    full.process = "app"
    full.processID = 9
    full.host = "h"
    full.bundle = "b"
    full.salt = [1, 2, 3]
    full.details = #"{"first":1}"#
    let digest = SHA256.digest(of: [1])
    #expect(
      closing(full, digest: digest)
        == beginning + #""author":"me","op":"gap","digest":"\#(digest)","meta":{"process":"app","#
        + #""pid":9,"host":"h","bundle":"b","schema":"s","salt":"AQID","details":"{\"first\":1}"}}"#
        + "\n"
    )
  }

  @Test("A digest covers the digest before it and the lines, however the lines are read.")
  func digests() {
    let lines = TransactionLines(plain)
    let first = TransactionDigest.beginning(ofStore: "s", lineage: 0)
    #expect(first == SHA256.digest(of: Array("travelog/1 s 0".utf8)))
    for count in [0, 1, 700] {
      var one = TransactionDigest(after: first)
      var other = TransactionDigest(after: first)
      var all = Array(first.bytes)
      SampleChange.insert.withChange { change in
        for _ in 0..<count { one.take(change, lines: lines) }
        var text: [UInt8] = []
        for _ in 0..<count { lines.append(change, to: &text) }
        text.withUnsafeBytes { other.take(lines: $0) }
        all += text
      }
      lines.appendClosing(digest: nil, to: &all)
      let digest = one.close(lines)
      #expect(digest == SHA256.digest(of: all))
      #expect(other.close(lines) == digest)
    }
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
