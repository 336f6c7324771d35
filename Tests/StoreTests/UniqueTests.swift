import Format
import Foundation
import StoreTesting
import Testing

@testable import Store

@Suite("Unique values")
struct UniqueTests {
  private func withTrips(_ names: [String], _ body: (Store) throws -> Void) throws {
    try withStore(.memory) { store, _ in
      try store.write(Author()) { writer in
        for (index, name) in names.enumerated() {
          try writer.insert(trip, id: Int64(index) + 1, values: tripValues(name))
        }
      }
      try body(store)
    }
  }

  @Test("A batch of updates is complete when it returns.")
  func batch() throws {
    try withTrips(["a", "b"]) { store in
      try store.write(Author()) { writer in
        let missing = try writer.update([
          RowChange(entity: trip, id: 1, columns: [0], values: [.text("b")]),
          RowChange(entity: trip, id: 2, columns: [0], values: [.text("a")]),
          RowChange(entity: trip, id: 3, columns: [0], values: [.text("z")]),
        ])
        #expect(missing == [RowKey(entity: trip, id: 3)])
        let statement = try writer.connection.prepare(
          "SELECT group_concat(name) FROM (SELECT name FROM Trip ORDER BY id)"
        )
        #expect(try statement.step())
        #expect(statement.string(at: 0) == "b,a")
      }
      #expect(
        try lastChanges(of: store) == [
          #"update Trip 1 ["name"] {"name":"a"} {"name":"b"}"#,
          #"update Trip 2 ["name"] {"name":"b"} {"name":"a"}"#,
        ]
      )
    }
  }

  @Test("A new object gets a unique value from one that is deleted or changed later.")
  func insertBeforeDelete() throws {
    try withTrips(["a", "b"]) { store in
      try store.write(Author()) { writer in
        try writer.insert(trip, id: 3, values: tripValues("a"))
        try writer.insert(item, id: 1, values: itemValues("thing", trip: 3))
        try writer.insert(trip, id: 4, values: tripValues("b"))
        #expect(try writer.row(trip, id: 3) == tripValues("a"))
        try writer.update(trip, id: 3, columns: [2], values: [.real(5)])
        try writer.delete(trip, id: 1)
        try writer.update(trip, id: 2, columns: [0], values: [.text("c")])
      }
      #expect(
        try rows("SELECT id, name FROM Trip ORDER BY id", in: store) == ["2|c", "3|a", "4|b"]
      )
      let last = try lastChanges(of: store)
      #expect(
        last.first == #"insert Trip 3 {"name":"a","startDate":"2001-01-01T00:00:00Z","#
          + #""rating":5.0,"leader":null}"#
      )
    }
  }

  @Test("A row that waits for a unique value is found, deleted and cascaded like any other.")
  func waiting() throws {
    try withTrips(["a", "b"]) { store in
      try store.write(Author()) { writer in
        try writer.insert(person, id: 1, values: [.text("Kim")])
        try writer.insert(trip, id: 3, values: tripValues("a", leader: 1))
        #expect(try writer.find(trip, unique: ["name"], values: [.text("b")]) == 2)
        #expect(try writer.find(trip, unique: ["name"], values: [.text("a")]) == 3)
        #expect(try writer.find(trip, unique: ["name"], values: [.text("z")]) == nil)
        try writer.delete(trip, id: 3)
        #expect(try writer.row(trip, id: 3) == nil)
      }
      #expect(try self.names(in: store) == ["a", "b"])
      #expect(try lastChanges(of: store) == [#"insert Person 1 {"name":"Kim"}"#])
    }
  }

  @Test("Two objects that end with one unique value are refused, and both are named.")
  func duplicates() throws {
    try withTrips(["a", "b"]) { store in
      for change in [
        { (writer: Writer) in try writer.insert(trip, id: 3, values: tripValues("b")) },
        { try $0.update([RowChange(entity: trip, id: 1, columns: [0], values: [.text("b")])]) },
        { _ = try $0.update(trip, id: 1, columns: [0], values: [.text("b")]) },
      ] as [(Writer) throws -> Void] {
        let error = #expect(throws: StoreError.self) { try store.write(Author(), change) }
        #expect(error?.code == .duplicate)
        #expect(error?.objects == [ObjectName("Trip", id: 2)])
        #expect(error?.message.contains("Trip 2 has the same name") == true)
      }
      let left = try self.names(in: store)
      #expect(left == ["a", "b"])
      let recorded = try history(of: store)
      #expect(recorded.count == 2)
    }
  }

  @Test("Null values do not conflict, and are not found.")
  func null() throws {
    let schema = StoreSchema(
      version: "1",
      entities: [
        Entity(
          name: "A",
          attributes: [
            Attribute(name: "x", type: .int64, isOptional: true),
            Attribute(name: "y", type: .string),
          ],
          uniques: [["x", "y"]]
        )
      ]
    )
    try withStore(.memory, schema: schema) { store, _ in
      try store.write(Author()) { writer in
        try writer.insert(0, id: 1, values: [.null, .text("y")])
        try writer.insert(0, id: 2, values: [.null, .text("y")])
        try writer.insert(0, id: 3, values: [.integer(1), .text("y")])
        #expect(try writer.find(0, unique: ["x", "y"], values: [.null, .text("y")]) == nil)
        #expect(try writer.find(0, unique: ["y", "x"], values: [.text("y"), .integer(1)]) == 3)
      }
      let error = #expect(throws: StoreError.self) {
        try store.write(Author()) { try $0.insert(0, id: 4, values: [.integer(1), .text("y")]) }
      }
      #expect(error?.message.contains("the same x and y") == true)
    }
  }

  @Test("Looking for a property without a column is refused.")
  func findWithoutColumn() throws {
    try withTrips([]) { store in
      let error = #expect(throws: StoreError.self) {
        try store.write(Author()) { try $0.find(trip, unique: ["items"], values: [.null]) }
      }
      #expect(error?.code == .misuse)
    }
  }

  @Test("The error of a value that a column refuses is a sentence.")
  func refusals() throws {
    try withTrips(["a"]) { store in
      func failure(_ body: (Writer) throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self) { try store.write(Author(), body) }
      }
      let missing = failure { try $0.insert(tag, id: 1, values: [.null]) }
      #expect(missing?.code == .missingValue)
      #expect(missing?.message.contains("Tag 1 can't be saved because word") == true)
      let wrong = failure { try $0.insert(tag, id: 1, values: [.blob(Data([1]))]) }
      #expect(wrong?.code == .invalidValue)
      let text = failure {
        _ = try $0.update(trip, id: 1, columns: [2], values: [.text("nan")])
      }
      #expect(text?.code == .invalidValue)
      let twice = failure { try $0.insert(trip, id: 1, values: tripValues("b")) }
      #expect(twice?.code == .duplicate)
      #expect(twice?.objects == [ObjectName("Trip", id: 1)])
    }
  }

  private func names(in store: Store) throws -> [String] {
    try rows("SELECT name FROM Trip ORDER BY id", in: store)
  }
}
