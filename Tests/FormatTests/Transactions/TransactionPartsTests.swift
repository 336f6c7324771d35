import Testing

@testable import Format

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
}
