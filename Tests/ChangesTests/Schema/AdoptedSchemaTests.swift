import Foundation
import Testing

@testable import Changes

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
}
