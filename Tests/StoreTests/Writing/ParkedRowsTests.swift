import Testing

@testable import Format
@testable import Store

@Suite("Rows that wait for a unique value")
struct ParkedRowsTests {
  private enum Step: CaseIterable {
    case parkOne, parkTwo, setOne, setTwo, removeOne, removeTwo

    var key: RowKey {
      RowKey(entity: 0, id: [.parkOne, .setOne, .removeOne].contains(self) ? 1 : 2)
    }
  }

  @Test("After every sequence of four writes of unique values, the rows are those of a naive list.")
  func sequences() {
    let all = Step.allCases
    for code in 0..<all.count * all.count * all.count * all.count {
      let steps = [1, 6, 36, 216].map { all[code / $0 % 6] }
      var parked = ParkedRows()
      var reference: [(key: RowKey, values: [Value])] = []
      for (number, step) in steps.enumerated() {
        let value = Value.integer(Int64(number))
        let place = reference.firstIndex { $0.key == step.key }
        switch step {
        case .parkOne, .parkTwo:
          parked.park(step.key, values: [value, value])
          if let place {
            reference[place].values = [value, value]
          } else {
            reference.append((step.key, [value, value]))
          }
        case .setOne, .setTwo:
          parked.set(step.key, columns: [1], values: [value])
          if let place { reference[place].values[1] = value }
        case .removeOne, .removeTwo:
          parked.remove(step.key)
          if let place { reference.remove(at: place) }
        }
      }
      let expected = Dictionary(uniqueKeysWithValues: reference.map { ($0.key, $0.values) })
      #expect(parked.rows == expected, "\(steps)")
      #expect(Set(parked.keys) == Set(expected.keys), "\(steps)")
    }
  }

  @Test("Rows are written in the order in which they were parked.")
  func order() {
    var parked = ParkedRows()
    let keys = [3, 1, 2].map { RowKey(entity: 0, id: ObjectID($0)) }
    for key in keys + keys.reversed() { parked.park(key, values: []) }
    #expect(parked.keys == keys)
    parked.remove(keys[1])
    #expect(parked.keys == [keys[0], keys[2]])
    parked.removeAll()
    #expect(parked.isEmpty && parked.keys.isEmpty)
  }

  @Test("Objects can pass their unique values on to each other in every permutation and order.")
  func permutations() throws {
    let permutations: [[Int]] = [
      [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
    ]
    let store = try Store.open(.memory("parked"), schema: sampleSchema)
    var values = ["a", "b", "c"]
    try store.save { world in
      for id in 0..<3 { try world.trip(Int64(id) + 1).insert(name: values[id]) }
    }
    for permutation in permutations {
      for order in permutations {
        values = permutation.map { values[$0] }
        try store.save { world in
          let changes = order.map { world.trip(Int64($0) + 1).renaming(to: values[$0]) }
          let missing = try world.writer.update(changes)
          #expect(missing.isEmpty && world.writer.parked.isEmpty)
        }
        let found = try names(of: "Trip", in: store)
        #expect(found == values, "\(permutation) in the order \(order)")
      }
    }
  }
}
