import StoreTesting
import Testing

@testable import Changes
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

  @Test("A value that is still in use at the end is refused, and the error names both objects.")
  func duplicate() throws {
    let store = try Store.open(.memory("parked"), schema: sampleSchema)
    let error = #expect(throws: StoreError.self) {
      try store.save { world in
        for (id, name) in [(1, "a"), (2, "b"), (3, "b")] as [(Int64, String)] {
          try world.trip(id).insert(name: name)
        }
      }
    }
    #expect(error?.code == .duplicate)
    #expect(error?.message.contains("Trip 3") == true && error?.message.contains("Trip 2") == true)
    let found = try names(of: "Trip", in: store)
    #expect(found == [])
  }

  @Test("A new object can take the unique value of one that is deleted after it.")
  func deletedLater() throws {
    let store = try Store.open(.memory("parked"), schema: sampleSchema)
    try store.save { try $0.trip(1).insert(name: "a") }
    try store.save { world in
      try world.trip(2).insert(name: "a")
      try world.trip(1).delete()
    }
    let found = try rows("SELECT id, name FROM Trip", in: store)
    #expect(found == ["2|a"])
  }

  @Test("The entity of an object is found also while its row is parked.")
  func entity() throws {
    let store = try Store.open(.memory("parked"), schema: sampleSchema)
    try store.save { world in
      func entity(of id: Int64) throws -> EntityIndex? {
        try world.writer.entity(of: RowKey(entity: trip, id: ObjectID(id)))
      }
      #expect(try entity(of: 1) == nil)
      try world.trip(1).insert(name: "a")
      try world.trip(2).insert(name: "b")
      try world.trip(2).set(name: "a")
      #expect(world.writer.parked.keys == [RowKey(entity: trip, id: 2)])
      #expect(try entity(of: 1) == trip)
      #expect(try entity(of: 2) == trip)
      #expect(try entity(of: 3) == nil)
      try world.trip(1).set(name: "c")
    }
    #expect(try names(of: "Trip", in: store) == ["c", "a"])
  }
}
