import TestSupport
import Testing

@testable import Format

@Suite("The tables and columns of entities")
struct EntityLayoutTests {
  @Test("A schema with a repeated or missing entity, or a circle of parents, is refused.")
  func refused() {
    func expectRefusal(_ entities: [Entity], _ words: String) {
      let error = #expect(throws: StoreError.self) {
        try StoreSchema(version: "1", entities: entities).layouts()
      }
      #expect(error?.code == .invalidSchema && error?.message.contains(words) == true, "\(words)")
    }
    expectRefusal(
      [Entity(name: "A"), Entity(name: "B"), Entity(name: "A")],
      "two entities named A"
    )
    expectRefusal([Entity(name: "A", parent: "B")], "A refers to B")
    expectRefusal([Entity(name: "A", parent: "A")], "A is its own ancestor")
    expectRefusal(
      [Entity(name: "A", parent: "B"), Entity(name: "B", parent: "A")],
      "B is its own ancestor"
    )
    let relationship = Relationship(
      name: "b",
      destination: "B",
      isToMany: true,
      storage: .inverseColumn("a")
    )
    expectRefusal([Entity(name: "A", relationships: [relationship])], "A.b refers to B")
  }

  @Test("An entity inherits from at most 64 entities, and a schema with more is refused at once.")
  func depth() throws {
    func schema(_ count: Int) -> StoreSchema {
      let names = (0..<count).map { String($0 + 100_000) }
      return StoreSchema(
        version: "1",
        entities: names.indices.map { index in
          Entity(name: names[index], parent: index == 0 ? nil : names[index - 1], table: names[0])
        }
      )
    }
    #expect(try schema(65).layouts().last?.ancestors.count == 64)
    #expect(try schema(65).layouts().first?.family.count == 65)
    let start = ContinuousClock.now
    for count in [66, 14_000] {
      let error = #expect(throws: StoreError.self) { try schema(count).layouts() }
      #expect(error?.code == .invalidSchema && error?.message.contains("100065") == true)
    }
    // The time grew with the third power of the number of entities.
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test("Names and texts are quoted for SQL by doubling the quotes in them.")
  func quotes() {
    #expect(quoted("") == "\"\"" && quoted("a'b") == "\"a'b\"" && quoted("a\"b") == "\"a\"\"b\"")
    #expect(literal("") == "''" && literal("a\"b") == "'a\"b'" && literal("a'b'") == "'a''b'''")
    #expect(Array(literal("'\u{301}").utf8) == Array("''".utf8) + Array("'\u{301}'".utf8))
    #expect(isOne(of: ["a"], column: "c") == "c = 'a'")
    #expect(isOne(of: ["a", "b'"], column: "c") == "(c = 'a' OR c = 'b''')")
  }
}
