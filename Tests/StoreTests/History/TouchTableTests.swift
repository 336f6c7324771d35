import StoreTesting
import Testing

@testable import Store

@Suite("Touched objects")
struct TouchTableTests {
  @Test("the table does what a dictionary does", arguments: 0..<20)
  func agreesWithDictionary(seed: Int) {
    var random = Seeded(state: UInt64(seed))
    var table = TouchTable()
    var reference: [Int64: Touch] = [:]
    for step in 0..<2000 {
      let id =
        seed % 2 == 0 ? Int64(random.next() % 300) : Int64(bitPattern: random.next() % 64 << 40)
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
      let probe = seed % 2 == 0 ? Int64(random.next() % 300) : id
      #expect(table[probe]?.row == reference[probe]?.row)
      #expect(table[probe]?.kind == reference[probe]?.kind)
    }
  }

  @Test("negative and extreme ids, and the first row, are kept")
  func extremes() {
    var table = TouchTable()
    for (index, id) in [Int64.min, -1, 0, 1, Int64.max].enumerated() {
      #expect(table[id] == nil)
      table[id] = Touch(kind: .update, row: Int64(index))
    }
    for (index, id) in [Int64.min, -1, 0, 1, Int64.max].enumerated() {
      #expect(table[id]?.row == Int64(index))
    }
    table.removeAll()
    #expect(table[0] == nil)
  }
}
