import Foundation
import Testing

@testable import Format

@Suite("The tables and keys of an adopted database")
struct AdoptedSchemaTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test("The statement of a table is written and read unchanged.")
  func objects() throws {
    let object = SchemaObject(
      type: "index",
      name: "i",
      table: "t",
      sql: "CREATE INDEX i\n ON t(\"a\u{301}\")"
    )
    let text = try json(object)
    #expect(
      text == #"{"name":"i","sql":"CREATE INDEX i\n ON t(\"a\#u{301}\")","#
        + #""table":"t","type":"index"}"#
    )
    let read = try JSONDecoder().decode(SchemaObject.self, from: Data(text.utf8))
    #expect(read == object)
    #expect(read.sql.utf8.elementsEqual(object.sql.utf8))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(SchemaObject.self, from: Data(#"{"type":"table"}"#.utf8))
    }
  }

  @Test("A key keeps the order of its columns, and the rowid is written only if it is used.")
  func keys() throws {
    let key = RowIdentity(columns: ["b", "a"])
    #expect(try json(key) == #"{"columns":["b","a"]}"#)
    let both = RowIdentity(columns: ["b", "a"], rowid: "_rowid_")
    #expect(try json(both) == #"{"columns":["b","a"],"rowid":"_rowid_"}"#)
    for identity in [key, both] {
      let data = Data(try json(identity).utf8)
      #expect(try JSONDecoder().decode(RowIdentity.self, from: data) == identity)
    }
    #expect(key != both && key != RowIdentity(columns: ["a", "b"]))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(RowIdentity.self, from: Data(#"{"rowid":"rowid"}"#.utf8))
    }
  }

  @Test("A schema has the program's numbers only if they are not zero, and reads without them.")
  func header() throws {
    var schema = StoreSchema(version: "1", entities: [], adopted: [])
    let plain = try schema.json()
    #expect(plain == #"{"adopted":[],"entities":[],"version":"1"}"#)
    #expect(try StoreSchema(json: Data(plain.utf8)) == schema)
    schema.userVersion = -86
    schema.applicationID = 5
    schema.sequences = [TableSequence(table: "t", last: 9)]
    let text = try schema.json()
    #expect(
      text == #"{"adopted":[],"applicationID":5,"entities":[],"#
        + #""sequences":[{"last":9,"table":"t"}],"userVersion":-86,"version":"1"}"#
    )
    #expect(try StoreSchema(json: Data(text.utf8)) == schema)
    // SQLite has 32 bits for these numbers.
    let tooLarge = text.replacing("-86", with: "4294967296")
    #expect(throws: DecodingError.self) { try StoreSchema(json: Data(tooLarge.utf8)) }
  }

  @Test("A snapshot has the highest ids of tables in its details, and other texts give none.")
  func sequences() {
    func transaction(
      _ details: String?,
      _ operation: TransactionOperation = .snapshot
    ) -> Transaction {
      Transaction(id: 1, time: "", operation: operation, schema: "", count: 0, details: details)
    }
    let sequences = [
      TableSequence(table: "a \"\u{301}\",]", last: .max), TableSequence(table: "b", last: -1),
    ]
    #expect([TableSequence]().details == nil)
    #expect(transaction(sequences.details).sequences == sequences)
    #expect(transaction(sequences.details, .mark).sequences == [])
    for forged in [
      "", "{}", #"{"sequences":7}"#, #"{"sequences":[7]}"#, #"{"sequences":[{"table":"t"}]}"#,
      #"{"sequences":[{"table":"t","last":"9"}]}"#, #"{"sequences":[{"table":7,"last":9}]}"#,
    ] {
      #expect(transaction(forged).sequences == [], "\(forged)")
    }
  }
}
