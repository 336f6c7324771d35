import Testing

@testable import Changes
@testable import Store

@Suite("The values that history has of objects")
struct KnownObjectsTests {
  @Test("An object is found by its entity and its id, with its last values.")
  func objects() throws {
    let objects = try KnownObjects()
    let key = Array(#""word":"#.utf8)
    for word in ["a", "b"] {
      let value = EncodedValue(json: Array(#""\#(word)""#.utf8))
      try objects.set(
        RowKey(entity: 1, id: 5),
        object: KnownObject(state: .partial, values: [key: value])
      )
      let found = try #require(try objects[RowKey(entity: 1, id: 5)])
      #expect(found.state == .partial)
      #expect(found.values == [key: value])
    }
    try objects.set(RowKey(entity: 2, id: 5), state: .deleted, json: [])
    #expect(try objects[RowKey(entity: 2, id: 5)]?.state == .deleted)
    #expect(try objects[RowKey(entity: 1, id: 5)]?.state == .partial)
    for other in [RowKey(entity: 1, id: 6), RowKey(entity: 5, id: 1), RowKey(entity: 3, id: 5)] {
      #expect(try objects[other] == nil)
    }
    try objects.removeAll()
    #expect(try objects[RowKey(entity: 1, id: 5)] == nil)
  }

  @Test("The rows and the changes that need a large value are counted by its digest.")
  func counts() throws {
    let objects = try KnownObjects()
    try objects.count("one", rows: 2)
    try objects.count("one", history: 5)
    try objects.count("one", rows: 1, history: 1)
    try objects.count("two", history: 7)
    #expect(try objects.counts(of: "one") == (3, 6))
    #expect(try objects.counts(of: "two") == (0, 7))
    #expect(try objects.counts(of: "three") == (0, 0))
    try objects.removeCounts()
    #expect(try objects.counts(of: "one") == (0, 0))
  }
}
