import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

/// The differences between the rows of two stores as texts.
func differences(from old: Store, to new: Store) throws -> [String] {
  try old.read { one in try new.read { try differences(from: one, to: $0) } }
}

private func differences(from old: Reader, to new: Reader) throws -> [String] {
  var result: [String] = []
  try old.differences(to: new) { change in
    let parts = [change.changed, change.before, change.after, change.special, change.large]
      .map { String(decoding: $0, as: UTF8.self) }.filter { !$0.isEmpty }
    let entity = String(decoding: change.entity, as: UTF8.self)
    result.append((["\(change.kind) \(entity) \(change.object)"] + parts).joined(separator: " "))
  }
  return result
}

@Suite("Differences of two stores")
struct ComparisonTests {
  @Test("The differences turn one store into the other.", arguments: 1...4)
  func patch(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "differences \(round)"))
      let place = Location.file(folder.appendingPathComponent("old"))
      let old = try Store.open(place, schema: worldSchema)
      for _ in 0..<40 { try world.write(to: old) }
      // One store keeps large values in files, the other one in its rows.
      let new = try replicaFromSnapshot(
        of: old,
        at: round % 2 == 0 ? .memory("new") : .file(folder.appendingPathComponent("new"))
      )
      let state = try replicaFromSnapshot(
        of: old,
        at: round % 2 == 0 ? .memory("state") : .file(folder.appendingPathComponent("state"))
      )
      #expect(try differences(from: old, to: new) == [])
      for _ in 0..<40 { try world.write(to: old) }
      try copyHistory(of: old, into: new)
      #expect(try differences(from: old, to: new) == [])
      try state.read { one in
        try new.read { other in
          var count: Int64 = 0
          let format = try ChangeFormat(worldSchema)
          try one.differences(to: other) {
            try format.check($0)
            count += 1
          }
          #expect(count > 5)
          let next = try one.historyRange().head.transaction + 1
          let content = { (digest: String) throws -> LargeValue in
            do { return try other.largeValue(digest) } catch { return try one.largeValue(digest) }
          }
          try state.replay(content: content) { replayer in
            try replayer.begin(next, count: count)
            try one.differences(to: other) { try replayer.apply($0) }
            try replayer.end(
              Transaction(
                id: next,
                time: "2026-01-01T00:00:00.000000Z",
                operation: .gap,
                schema: SHA256.digest(of: Array(try worldSchema.json().utf8)).description,
                count: count,
                seed: Seed(random: [])
              )
            )
          }
        }
      }
      #expect(try rowDump(of: state) == rowDump(of: new))
    }
  }

  @Test(
    "The differences of two points of a store are those of copies from that time.",
    arguments: 1...3
  )
  func points(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "differences of points \(round)"))
      let store = try Store.open(.file(folder.appendingPathComponent("store")), schema: worldSchema)
      var copies: [Int64: Store] = [:]
      for number in 0..<5 {
        for _ in 0..<[0, 40, 1, 5, 20][number] { try world.write(to: store) }
        let copy = folder.appendingPathComponent("copy\(number)")
        try store.copy(to: copy)
        copies[try store.read { try $0.sealedHead() }] = try Store.open(.file(copy))
      }
      for (first, old) in copies {
        for (last, new) in copies {
          let found = try store.read(after: first) { one in
            try store.read(after: last) { try differences(from: one, to: $0) }
          }
          #expect(try found == differences(from: old, to: new), "\(first) and \(last)")
        }
        let now = try store.read(after: first) { one in
          try store.read { try differences(from: one, to: $0) }
        }
        #expect(try now == differences(from: old, to: store), "\(first) and the present")
      }
    }
  }

  @Test("Added, removed and changed objects are reported by id, and links as added and removed.")
  func small() throws {
    let old = try Store.open(.memory("old"), schema: sampleSchema)
    let new = try Store.open(.memory("new"), schema: sampleSchema)
    for (store, name) in [(old, "a"), (new, "b")] {
      try store.write(Author()) { writer in
        try writer.insert(trip, id: 1, values: tripValues(name))
        try writer.insert(trip, id: 2, values: tripValues("same"))
        try writer.insert(trip, id: name == "a" ? 3 : 4, values: tripValues("other"))
        try writer.insert(tag, id: 1, values: [.text("t")])
        try writer.insert(tag, id: 2, values: [.text("u")])
        try writer.link(tag, relationship: "trips", source: 1, target: 2)
        try writer.link(tag, relationship: "trips", source: 1, target: name == "a" ? 3 : 4)
        if name == "b" { try writer.link(tag, relationship: "trips", source: 2, target: 1) }
      }
    }
    let other =
      #"{"name":"other","startDate":"2001-01-01T00:00:00Z","rating":null,"leader":null}"#
    func list(_ id: Int) -> String { #"{"trips":[{"entity":"Trip","id":"\#(id)"}]}"# }
    #expect(
      try differences(from: old, to: new) == [
        #"update Tag 1 ["trips"] \#(list(3)) \#(list(4))"#,
        #"update Tag 2 ["trips"] {"trips":[]} \#(list(1))"#,
        #"update Trip 1 ["name"] {"name":"a"} {"name":"b"}"#,
        "delete Trip 3 \(other)", "insert Trip 4 \(other)",
      ]
    )
  }

  @Test("Entities and properties that only one store has are not compared.")
  func schemas() throws {
    let old = try Store.open(.memory("old"), schema: StagedMigrationTests.two)
    let new = try Store.open(.memory("new"), schema: StagedMigrationTests.three)
    try old.write(Author()) { try $0.insert(0, id: 1, values: [.text("x"), .text("y")]) }
    try new.write(Author()) { try $0.insert(0, id: 1, values: [.text("z")]) }
    #expect(
      try differences(from: old, to: new) == [#"update Trip 1 ["b"] {"b":"y"} {"b":"z"}"#]
    )
    #expect(
      new.schema.differences(fromStored: old.schema) == [
        .extraAttribute(entity: "Trip", name: "a")
      ]
    )
  }

  @Test("Objects of stores whose columns have another order are compared by the names of columns.")
  func columnOrder() throws {
    func schema(_ version: String, _ names: [String]) -> StoreSchema {
      StoreSchema(
        version: version,
        entities: [
          Entity(name: "Trip", attributes: names.map { Attribute(name: $0, type: .string) })
        ]
      )
    }
    let old = try Store.open(.memory("old"), schema: schema("1", ["x", "a", "b"]))
    let new = try Store.open(.memory("new"), schema: schema("2", ["b", "a", "y"]))
    try old.write(Author()) { writer in
      try writer.insert(0, id: 1, values: [.text("x1"), .text("a1"), .text("b1")])
      try writer.insert(0, id: 2, values: [.text("x2"), .text("a2"), .text("b2")])
      try writer.insert(0, id: 4, values: [.text("x4"), .text("a4"), .text("b4")])
    }
    try new.write(Author()) { writer in
      try writer.insert(0, id: 2, values: [.text("b2"), .text("A2"), .text("y2")])
      try writer.insert(0, id: 3, values: [.text("b3"), .text("a3"), .text("y3")])
      try writer.insert(0, id: 4, values: [.text("b4"), .text("a4"), .text("y4")])
    }
    #expect(
      try differences(from: old, to: new) == [
        #"delete Trip 1 {"b":"b1","a":"a1"}"#,
        #"update Trip 2 ["a"] {"a":"a2"} {"a":"A2"}"#,
        #"insert Trip 3 {"b":"b3","a":"a3"}"#,
      ]
    )
  }
}
