import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("The values that remain after an erasure")
struct RestatementTests {
  private func digest(_ number: UInt8) -> Digest { SHA256.digest(of: [number]) }

  private func restatement(
    of transaction: Int64,
    lineage: Int64 = 0,
    operation: TransactionOperation = .recorded,
    lines: [Int64: UInt8] = [0: 100]
  ) -> Restatement {
    Restatement(
      lineage: lineage,
      transaction: transaction,
      operation: operation,
      digest: digest(UInt8(transaction)),
      lines: lines.sorted { $0.key < $1.key }.map {
        RestatedLine(sequence: $0.key, values: digest($0.value))
      }
    )
  }

  private func transaction(_ operation: TransactionOperation, details: String?) -> Transaction {
    Transaction(
      id: 9,
      time: "2026-11-23T12:00:00.000001Z",
      operation: operation,
      schema: "s",
      count: 0,
      details: details
    )
  }

  private func erasure(_ details: String?) -> ErasureDetails? {
    transaction(.erase, details: details).erasure
  }

  private func restatements(_ details: String?) -> [Restatement] {
    transaction(.recorded, details: details).restatements
  }

  private var full: ErasureDetails {
    ErasureDetails(
      of: ObjectName("Trip \"x\"", id: -7),
      properties: ["name", "a\nb"],
      restatements: [
        restatement(of: 2, operation: .snapshot, lines: [0: 1, 10: 2, 12: 3]),
        restatement(of: 3, lineage: 1),
      ]
    )
  }

  @Test("The details of an erasure have one exact text.")
  func text() {
    let list =
      #""restated":[{"lineage":0,"txn":2,"op":"snapshot","was":"\#(digest(2))","#
      + #""lines":{"0":"\#(digest(1))","10":"\#(digest(2))","12":"\#(digest(3))"}},"#
      + #"{"lineage":1,"txn":3,"op":"recorded","was":"\#(digest(3))","#
      + #""lines":{"0":"\#(digest(100))"}}]"#
    #expect(
      full.json == #"{"entity":"Trip \"x\"","id":"-7","changed":["name","a\nb"],"# + list + "}"
    )
    let small = ErasureDetails(
      of: ObjectName("E", id: 1),
      properties: [],
      restatements: []
    )
    #expect(small.json == #"{"entity":"E","id":"1","restated":[]}"#)
    #expect(full.restatements.details == "{\(list)}")
    #expect([Restatement]().details == nil)
  }

  @Test("The details of an erasure are read as they were written.")
  func reading() throws {
    #expect(erasure(full.json) == full)
    #expect(transaction(.erase, details: full.json).restatements == full.restatements)
    var other = full
    other.properties = []
    #expect(erasure(other.json) == other)
    other.restatements = []
    #expect(erasure(other.json) == other)
    let name = try #require(RowName(key: [.text("a\""), .integer(7)], rowid: nil))
    other.object = ObjectName("E", id: ObjectID(name))
    #expect(erasure(other.json)?.object.id == ObjectID(name))
  }

  @Test("Only the details of an erasure describe one, but every transaction can restate values.")
  func operations() {
    for operation in TransactionOperation.allCases {
      let details = transaction(operation, details: full.json)
      #expect((details.erasure != nil) == (operation == .erase))
      let list = transaction(operation, details: full.restatements.details)
      #expect(list.erasure == nil)
      #expect(list.restatements == full.restatements)
      #expect(transaction(operation, details: nil).restatements.isEmpty)
      #expect(transaction(operation, details: #"{"first":1}"#).restatements.isEmpty)
    }
  }

  @Test("Random restatements are read as they were written.")
  func randomRestatements() {
    var random = SeededGenerator(for: "restatements")
    for _ in 0..<trials(500, long: 50_000) {
      let list = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        let lines = (0..<Int.random(in: 0...5, using: &random)).map { _ in
          (Int64.random(in: 0...1_000_000, using: &random), UInt8.random(in: 0...9, using: &random))
        }
        return restatement(
          of: .random(in: 1...255, using: &random),
          lineage: .random(in: 0...3, using: &random),
          operation: TransactionOperation.allCases.randomElement(using: &random) ?? .gap,
          lines: Dictionary(lines) { first, _ in first }
        )
      }
      #expect(restatements(list.details) == list)
    }
  }

  @Test("Restatements are refused if one of their bytes is missing, and details if text follows.")
  func shorter() throws {
    let list = try #require([restatement(of: 2, lines: [0: 1, 1: 2, 2: 3])].details)
    #expect(restatements(list).count == 1)
    let bytes = Array(list.utf8)
    for place in bytes.indices {
      var shorter = bytes
      shorter.remove(at: place)
      #expect(restatements(String(decoding: shorter, as: UTF8.self)).isEmpty, "\(place)")
    }
    #expect(restatements(list + " ").isEmpty && restatements(" " + list).isEmpty)
    #expect(erasure(full.json + " ") == nil && erasure(" " + full.json) == nil)
    #expect(erasure("") == nil && erasure("{}") == nil && erasure(nil) == nil)
  }

  @Test(
    "Restatements that are not in the one exact form are refused.",
    arguments: [
      (#""txn":2"#, #""txn":02"#), (#""txn":2"#, #""txn":"2""#), (#""txn":2"#, #""txn":2.0"#),
      (#""txn":2"#, #""txn":9223372036854775808"#), (#""txn":2,"#, ""), (#""txn":"#, #""tx":"#),
      (#""lineage":0,"txn":2"#, #""txn":2,"lineage":0"#), (#""lineage":0"#, #""lineage":-0"#),
      (#""lineage":0"#, #""lineage":+0"#), (#""lineage":0"#, #""lineage": 0"#),
      ("snapshot", "Snapshot"), ("snapshot", "other"), ("\"snapshot\"", "null"),
      (#"{"0":"#, #"{"10":"#), (#"{"0":"#, #"{"11":"#), (#"{"0":"#, #"{"00":"#),
      (#"{"0":"#, #"{"-0":"#), (#"{"0":"#, #"{"x":"#), (#"{"0":"#, #"{"":"#),
      (#"{"0":""#, #"{"0":"0"#), (#""was":""#, #""was":"0"#), (#""was":""#, #""was":"G"#),
      (#"}},{"#, #"},"more":1},{"#), (#"}},{"#, #"}},null,{"#), (#"}},{"#, #"}}, {"#),
      (#"]}"#, #"],"restated":[]}"#), (#""restated""#, #""more":1,"restated""#), (#"]}"#, ",]}"),
    ]
  )
  func refused(part: String, replacement: String) throws {
    let list = try #require(full.restatements.details)
    #expect(list.contains(part))
    #expect(restatements(list.replacing(part, with: replacement, maxReplacements: 1)).isEmpty)
    #expect(erasure(full.json.replacing(part, with: replacement, maxReplacements: 1)) == nil)
  }

  @Test("A digest in capital letters is refused.")
  func capitals() throws {
    let list = try #require(full.restatements.details)
    let digest = digest(2).description
    #expect(digest != digest.uppercased())
    #expect(restatements(list.replacing(digest, with: digest.uppercased())).isEmpty)
  }

  @Test(
    "Details of an erasure that are not in the one exact form are refused.",
    arguments: [
      (#""id":"-7""#, #""id":-7"#), (#""id":"-7""#, #""id":"07""#), (#""id":"-7""#, #""id":"a""#),
      (#""id":"-7","#, ""), (#""entity":"Trip \"x\"","#, ""), (#""entity":"#, #""other":"#),
      (#""changed":["name""#, #""changed":[1,"name""#),
      (#""changed":["name""#, #""changed":["n\u0061me""#),
      (#"["name","a\nb"]"#, "[]"), (#"["name","a\nb"]"#, "null"), (#"["name","a\nb"]"#, "{}"),
      (#""restated":["#, #""reason":"asked","restated":["#),
      (#""restated":["#, #""restated":null,"x":["#), (#""restated":["#, #""restated":[],"x":["#),
    ]
  )
  func refusedErasures(part: String, replacement: String) {
    #expect(full.json.contains(part))
    let details = full.json.replacing(part, with: replacement, maxReplacements: 1)
    #expect(erasure(details) == nil)
    #expect(transaction(.erase, details: details).restatements.isEmpty)
  }
}
