import Changes
import Foundation
import TestSupport
import Testing

@Suite("The cache of recent results")
struct RecentTests {
  @Test(
    "The cache keeps the results of its last four keys, and computes older and failed ones again."
  )
  func lastFour() throws {
    struct Refusal: Error {}
    let recent = Recent<Int, String>(isSame: ==)
    var asked: [Int] = []
    func value(_ key: Int) throws -> String {
      try recent.value(of: key) {
        asked.append(key)
        guard key > 0 else { throw Refusal() }
        return String(key)
      }
    }
    for key in [1, 2, 3, 4, 1, 2, 3, 4] { #expect(try value(key) == String(key)) }
    #expect(asked == [1, 2, 3, 4])
    // The least recently used key is evicted.
    #expect(try value(1) == "1")
    #expect(try value(5) == "5")
    #expect(try value(1) == "1")
    #expect(asked == [1, 2, 3, 4, 5])
    #expect(try value(2) == "2")
    #expect(asked == [1, 2, 3, 4, 5, 2])
    for _ in 1...2 { #expect(throws: Refusal.self) { try value(0) } }
    #expect(asked.suffix(2) == [0, 0])
  }

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
