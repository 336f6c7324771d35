import Format
import Testing

@testable import Pipeline

@Suite("The beginning of a later lineage")
struct LineageOriginTests {
  private let digest = SHA256.digest(of: [1])

  @Test("The details name the head, and the parent only if it is another lineage.")
  func details() {
    let head = HistoryPoint(lineage: 3, transaction: 40, digest: digest)
    let start = #"{"lineage":3,"transaction":40,"digest":"\#(digest)""#
    for (parent, text) in [(3, start + "}"), (1, start + #","parent":1}"#)] as [(Int64, String)] {
      let origin = LineageOrigin(head: head, parent: parent)
      #expect(origin.details(sequences: []) == text)
      #expect(LineageOrigin(details: text) == origin)
      let sequences = [TableSequence(table: #"a"b"#, last: 7), TableSequence(table: "c", last: 9)]
      let longer = origin.details(sequences: sequences)
      #expect(LineageOrigin(details: longer) == origin)
      #expect(
        TableSequence.list(in: CanonicalText(Array(longer.utf8))) == sequences
      )
    }
  }

  @Test("Details in any other form name no beginning.")
  func refused() {
    for text in [
      "", "{}", "[]", #"{"lineage":3,"transaction":40}"#,
      #"{"lineage":3,"transaction":40,"digest":"\#(digest)","parent":3}"#,
      #"{"lineage":3,"transaction":40,"digest":"\#(digest)","other":1}"#,
      #"{"lineage":3,"transaction":40,"digest":"\#(digest)","parent":1,"other":1}"#,
      #"{"lineage":3,"transaction":40,"digest":"\#(digest)","parent":"a"}"#,
      #"{"lineage":3,"head":40,"digest":"\#(digest)"}"#,
      #"{"lineage":3,"transaction":40,"digest":"\#(digest)","sequences":[]}"#,
      #"{"lineage":3,"transaction":40,"digest":"\#(digest)","sequences":[{"table":"t"}]}"#,
      #"{"lineage":3,"transaction":40,"digest":"0"}"#,
      #"{"lineage":"a","transaction":40,"digest":"\#(digest)"}"#,
      #"{"lineage":3,"transaction":"a","digest":"\#(digest)"}"#,
    ] {
      #expect(LineageOrigin(details: text) == nil, "\(text)")
    }
  }

  @Test("Only a snapshot with such details begins a lineage.")
  func transactions() {
    let head = HistoryPoint(lineage: 0, transaction: 40, digest: digest)
    let origin = LineageOrigin(head: head, parent: 0)
    for operation in [.snapshot, .recorded, .gap] as [TransactionOperation] {
      for details in [origin.details(sequences: []), nil] {
        let transaction = Transaction(
          id: 9,
          time: "",
          operation: operation,
          schema: "",
          count: 0,
          details: details
        )
        let isOrigin = operation == .snapshot && details != nil
        #expect(transaction.lineageOrigin == (isOrigin ? origin : nil))
      }
    }
  }
}
