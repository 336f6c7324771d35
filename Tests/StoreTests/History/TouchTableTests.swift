import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("The table of touched objects")
struct TouchTableTests {
  @Test("A touch table equals a dictionary.", arguments: 0..<20)
  func agreesWithDictionary(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var table = TouchTable()
    var reference: [ObjectID: Touch] = [:]
    for step in 0..<2000 {
      let id = ObjectID(
        seed % 2 == 0 ? Int64(random.next() % 300) : Int64(bitPattern: random.next() % 64 << 40)
      )
      switch random.next() % 8 {
      case 0:
        table[id] = nil
        reference[id] = nil
      case 1 where step % 500 == 0:
        table.removeAll()
        reference.removeAll()
      default:
        let kind = ChangeKind.allCases[Int(random.next() % 3)]
        let touch = Touch(kind: kind, row: Int64(random.next() % 1_000_000))
        table[id] = touch
        reference[id] = touch
      }
      let probe = seed % 2 == 0 ? ObjectID(Int64(random.next() % 300)) : id
      #expect(table[probe]?.row == reference[probe]?.row)
      #expect(table[probe]?.kind == reference[probe]?.kind)
    }
  }

  @Test("A touch table with a file equals a dictionary.", arguments: 0..<10)
  func agreesWithDictionaryPutAside(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var table = TouchTable()
    let file = try TouchFile(entities: 2)
    var reference: [ObjectID: Touch] = [:]
    func touch(_ id: ObjectID) throws -> Touch? {
      try table[id] ?? (table.isRemoved(id) ? nil : file.touch(RowKey(entity: 1, id: id)))
    }
    for _ in 0..<2000 {
      let id = ObjectID(Int64(bitPattern: random.next() % 90) - 20)
      switch random.next() % 30 {
      case 0: try file.take(&table, entity: 1)
      case 1...6:
        table.remove(id)
        reference[id] = nil
      default:
        let kind = ChangeKind.allCases[Int(random.next() % 3)]
        let touch = Touch(kind: kind, row: Int64(random.next() % 1_000_000))
        table[id] = touch
        reference[id] = touch
      }
      let probe = ObjectID(Int64(bitPattern: random.next() % 90) - 20)
      #expect(try touch(probe)?.row == reference[probe]?.row)
      #expect(try touch(probe)?.kind == reference[probe]?.kind)
      #expect(try file.touch(RowKey(entity: 0, id: probe)) == nil)
    }
  }

  @Test("A transaction is recorded the same if its touched objects are kept in a file.")
  func recordedPutAside() throws {
    func history(_ room: Int64) throws -> String {
      try Touches.$usualRoom.withValue(room) {
        let store = try Store.open(.memory("put aside \(room)"), schema: worldSchema)
        var world = HistoryWorld(SeededGenerator(seed: 11))
        for _ in 0..<60 { try world.write(to: store) }
        let lines = try lines(of: store).split(separator: "\n")
        // A change has nothing that is random or of the moment, except its time and a seed.
        return lines.filter { $0.hasPrefix(#"{"kind":"change""#) }
          .map { $0.replacing(/"(ts|seed)":"[^"]*"/, with: "") }.joined(separator: "\n")
      }
    }
    let usual = try history(1 << 17)
    #expect(usual.contains("update") && usual.contains("delete"))
    for room in [1, 2, 3] as [Int64] { #expect(try history(room) == usual) }
  }

  @Test("A touch table keeps negative and extreme ids, and the first row.")
  func extremes() {
    var table = TouchTable()
    for (index, id) in [ObjectID(.min), -1, 0, 1, ObjectID(.max)].enumerated() {
      #expect(table[id] == nil)
      table[id] = Touch(kind: .update, row: Int64(index))
    }
    for (index, id) in [ObjectID(.min), -1, 0, 1, ObjectID(.max)].enumerated() {
      #expect(table[id]?.row == Int64(index))
    }
    table.removeAll()
    #expect(table[0] == nil)
  }
}
