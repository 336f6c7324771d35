import Format
import Foundation
import TestSupport
import Testing

@Suite("The cache of recent results")
struct RecentTests {
  @Test(
    "Two reads of one schema's text give copies, and a change of one does not affect the other."
  )
  func copies() throws {
    let json = Data(try tripSchema.json().utf8)
    var first = try StoreSchema(json: json)
    let second = try StoreSchema(json: json)
    #expect(first == tripSchema && first.isCopy(of: second))
    #expect(!tripSchema.isCopy(of: first))
    first.version += "\u{301}"
    #expect(!first.isCopy(of: second))
    first.version = second.version
    first.entities[0].attributes[0].originalName = "past"
    #expect(!first.isCopy(of: second) && second == tripSchema)
    #expect(try first.layouts()[0].entity.attributes[0].originalName == "past")
    #expect(try second.layouts()[0].entity == tripSchema.entities[0])
    #expect(throws: DecodingError.self) { try StoreSchema(json: Data("{}".utf8)) }
  }

  @Test("Schemas whose names differ only in their Unicode spelling have separate layouts.")
  func spellings() throws {
    let spellings = ["Caf\u{e9}", "Cafe\u{301}"]
    let schemas = spellings.map { StoreSchema(version: "1", entities: [Entity(name: $0)]) }
    #expect(schemas[0] == schemas[1])
    for (schema, spelling) in zip(schemas, spellings) {
      let table = try schema.layouts()[0].table
      #expect(Array(table.utf8) == Array("\"\(spelling)\"".utf8))
      let read = try StoreSchema(json: Data(schema.json().utf8))
      #expect(Array(try read.layouts()[0].table.utf8) == Array(table.utf8))
    }
  }

  @Test("Two texts are the same key only if their bytes are equal.")
  func texts() {
    #expect(Value.text("é").isSame(as: .text("\u{e9}")))
    #expect(!Value.text("\u{e9}").isSame(as: .text("e\u{301}")))
    #expect(!Value.text("ab").isSame(as: .text("ac")) && !Value.text("a").isSame(as: .text("")))
    #expect(Value.text("").isSame(as: .text("")))
  }
}
