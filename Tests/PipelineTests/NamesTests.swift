import Changes
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Names in a history")
struct NamesTests {
  @Test("An entity is known if one of the schemas has it, and the error lists all names.")
  func entities() throws {
    let schemas = [worldSchema, tripSchema]
    for name in ["Camp", "Trip", "Tag"] {
      try checkEntity(name, schemas: schemas, path: "logs")
    }
    let error = #expect(throws: PipelineError.self) {
      try checkEntity("Trips", schemas: schemas, path: "logs")
    }
    let known = ["Camp", "Guest", "Hotel", "Item", "Person", "Place", "Tag", "Trip"]
    #expect(error?.names?.unknown == "Trips" && error?.names?.known == known)
    #expect(error?.code == .unknownName && error?.logs == "logs")
    #expect(error?.message == "There is no entity or table “Trips” in logs.")
    let none = #expect(throws: PipelineError.self) {
      try checkEntity("Trip", schemas: [], path: "logs")
    }
    #expect(none?.names?.known == [])
  }

  @Test("A property is known if any entity of the family has it, such as a sibling.")
  func properties() throws {
    let schemas = [tripSchema, worldSchema]
    for entity in ["Place", "Hotel", "Camp"] {
      for property in ["name", "stars", "isFree"] {
        try checkProperty(property, of: entity, schemas: schemas, path: "logs")
      }
      let error = #expect(throws: PipelineError.self) {
        try checkProperty("badge", of: entity, schemas: schemas, path: "logs")
      }
      let known = ["isFree", "name", "opened", "picture", "rating", "stars"]
      #expect(error?.names?.unknown == "badge" && error?.names?.known == known, "\(entity)")
    }
    try checkProperty("place", of: "Guest", schemas: schemas, path: "logs")
    try checkProperty("leader", of: "Trip", schemas: schemas, path: "logs")
    let error = #expect(throws: PipelineError.self) {
      try checkProperty("stars", of: "Guest", schemas: schemas, path: "logs")
    }
    #expect(
      error?.message
        == "Guest in logs does not have an attribute, a to-one relationship or a column “stars”."
    )
  }
}

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
