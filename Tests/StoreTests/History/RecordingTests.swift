import Format
import Foundation
import Store
import StoreTesting
import Testing

@Suite("History of a write")
struct RecordingTests {
  /// A store with trip 1 "Oslo" that has item 1 "Fjord", led by person 1, and tags 1 to 3.
  private func withSample(_ body: (Store) throws -> Void) throws {
    try withStore(.memory) { store, _ in
      try store.write(Author(name: "setup")) { writer in
        try writer.insert(person, id: 1, values: [.text("Kim")])
        try writer.insert(trip, id: 1, values: tripValues("Oslo", leader: 1))
        try writer.insert(item, id: 1, values: itemValues("Fjord", trip: 1))
        for id in 1...3 { try writer.insert(tag, id: Int64(id), values: [.text("tag \(id)")]) }
      }
      try body(store)
    }
  }

  @Test("An insert is recorded with all values.")
  func insert() throws {
    try withSample { store in
      let found = try lastChanges(of: store)
      #expect(
        found.prefix(3) == [
          #"insert Person 1 {"name":"Kim"}"#,
          #"insert Trip 1 {"name":"Oslo","startDate":"2001-01-01T00:00:00Z","rating":null,"#
            + #""leader":{"entity":"Person","id":"1"}}"#,
          #"insert Item 1 {"title":"Fjord","trip":{"entity":"Trip","id":"1"}}"#,
        ]
      )
    }
  }

  @Test("An update is recorded with the changed properties, before and after.")
  func update() throws {
    try withSample { store in
      try store.write(Author()) { writer in
        let wasThere = try writer.update(
          trip,
          id: 1,
          columns: [0, 2, 3],
          values: [.text("Bergen"), .null, .null]
        )
        #expect(wasThere)
        let isThere = try writer.update(trip, id: 99, columns: [0], values: [.text("x")])
        #expect(!isThere)
      }
      #expect(
        try lastChanges(of: store) == [
          #"update Trip 1 ["name","leader"] "#
            + #"{"name":"Oslo","leader":{"entity":"Person","id":"1"}} "#
            + #"{"name":"Bergen","leader":null}"#
        ]
      )
    }
  }

  @Test("An update that changes nothing is not recorded.")
  func nothing() throws {
    try withSample { store in
      try store.write(Author()) { writer in
        let isThere = try writer.update(trip, id: 1, columns: [0], values: [.text("Oslo")])
        #expect(isThere)
      }
      try store.write(Author()) { _ in }
      try store.write(Author()) { writer in
        try writer.insert(tag, id: 9, values: [.text("gone")])
        try writer.delete(tag, id: 9)
      }
      try store.write(Author()) { writer in
        try writer.update(trip, id: 1, columns: [0], values: [.text("Bergen")])
        try writer.update(trip, id: 1, columns: [0], values: [.text("Oslo")])
        try writer.link(trip, relationship: "tags", source: 1, target: 1)
        try writer.unlink(tag, relationship: "trips", source: 1, target: 1)
      }
      #expect(try rows("SELECT id, changes FROM history_transaction", in: store) == ["1|6"])
      try store.write(Author()) { try $0.insert(tag, id: 9, values: [.text("here")]) }
      #expect(try rows("SELECT id, changes FROM history_transaction", in: store) == ["1|6", "2|1"])
    }
  }

  @Test("A value that differs only in its bits, such as -0.0 and 0.0, is a change.")
  func bits() throws {
    try withSample { store in
      try store.write(Author()) {
        try $0.update(trip, id: 1, columns: [0, 1], values: [.text("Ë"), .real(-0.0)])
      }
      try store.write(Author()) {
        try $0.update(trip, id: 1, columns: [0], values: [.text("E\u{308}")])
      }
      let transactions = try history(of: store).map(\.transaction)
      #expect(transactions.suffix(2) == [2, 3])
    }
  }

  @Test("An object inserted and updated in one transaction is one insert.")
  func insertThenUpdate() throws {
    try withSample { store in
      try store.write(Author()) { writer in
        try writer.insert(tag, id: 7, values: [.text("first")])
        try writer.insert(tag, id: 8, values: [.text("other")])
        try writer.update(tag, id: 7, columns: [0], values: [.text("second")])
      }
      #expect(
        try lastChanges(of: store) == [
          #"insert Tag 7 {"word":"second"}"#, #"insert Tag 8 {"word":"other"}"#,
        ]
      )
    }
  }

  @Test("An object updated twice in one transaction has one change, with the first values before.")
  func updateTwice() throws {
    try withSample { store in
      try store.write(Author()) { writer in
        try writer.update(trip, id: 1, columns: [0], values: [.text("a,\"b\":{}")])
        try writer.update(trip, id: 1, columns: [2], values: [.real(.infinity)])
        try writer.update(trip, id: 1, columns: [0, 3], values: [.text("Bergen"), .null])
      }
      #expect(
        try lastChanges(of: store) == [
          #"update Trip 1 ["name","rating","leader"] "#
            + #"{"name":"Oslo","rating":null,"leader":{"entity":"Person","id":"1"}} "#
            + #"{"name":"Bergen","rating":null,"leader":null} special {"after":{"rating":"inf"}}"#
        ]
      )
      try store.write(Author()) { writer in
        try writer.update(trip, id: 1, columns: [2], values: [.real(1)])
        try writer.update(trip, id: 1, columns: [2], values: [.text("NaN")])
      }
      #expect(
        try lastChanges(of: store) == [
          #"update Trip 1 ["rating"] {"rating":null} {"rating":null} "#
            + #"special {"after":{"rating":"nan"},"before":{"rating":"inf"}}"#
        ]
      )
    }
  }

  @Test("An object updated and deleted in one transaction is one delete, with the first values.")
  func updateThenDelete() throws {
    try withSample { store in
      try store.write(Author()) { writer in
        try writer.update(item, id: 1, columns: [0], values: [.text("Lake")])
        try writer.delete(item, id: 1)
      }
      #expect(
        try lastChanges(of: store) == [
          #"delete Item 1 {"title":"Fjord","trip":{"entity":"Trip","id":"1"}}"#
        ]
      )
    }
  }

  @Test("An object deleted and inserted again in one transaction is an update, or no change.")
  func deleteThenInsert() throws {
    try withSample { store in
      try store.write(Author()) {
        try $0.link(trip, relationship: "tags", source: 1, target: 2)
      }
      try store.write(Author()) { writer in
        try writer.update(item, id: 1, columns: [0], values: [.text("Lake")])
        try writer.delete(item, id: 1)
        try writer.insert(item, id: 1, values: itemValues("Sea", trip: 1))
        try writer.delete(tag, id: 1)
        try writer.insert(tag, id: 1, values: [.text("tag 1")])
        try writer.delete(tag, id: 2)
        try writer.insert(tag, id: 2, values: [.text("tag two")])
        try writer.link(trip, relationship: "tags", source: 1, target: 2)
      }
      #expect(
        try lastChanges(of: store) == [
          #"update Item 1 ["title"] {"title":"Fjord"} {"title":"Sea"}"#,
          #"update Tag 2 ["word"] {"word":"tag 2"} {"word":"tag two"}"#,
        ]
      )
      let places = try rows("SELECT transaction_id, sequence, id FROM history_change", in: store)
      #expect(places.suffix(2) == ["3|0|8", "3|1|9"])
    }
  }

  @Test("Links are changes of the side that the join table is named after.")
  func links() throws {
    try withSample { store in
      try store.write(Author()) { writer in
        try writer.link(trip, relationship: "tags", source: 1, target: 2)
        try writer.link(tag, relationship: "trips", source: 3, target: 1)
        try writer.update(tag, id: 3, columns: [0], values: [.text("three")])
      }
      #expect(
        try lastChanges(of: store) == [
          #"update Tag 2 ["trips"] {"trips":[]} "#
            + #"{"trips":[{"entity":"Trip","id":"1"}]}"#,
          #"update Tag 3 ["word","trips"] {"word":"tag 3","trips":[]} "#
            + #"{"word":"three","trips":[{"entity":"Trip","id":"1"}]}"#,
        ]
      )
      try store.write(Author()) { writer in
        try writer.link(trip, relationship: "tags", source: 1, target: 2)
        try writer.unlink(trip, relationship: "tags", source: 1, target: 3)
        try writer.insert(tag, id: 4, values: [.text("four")])
        try writer.link(tag, relationship: "trips", source: 4, target: 1)
      }
      #expect(
        try lastChanges(of: store) == [
          #"insert Tag 4 {"word":"four","trips":[{"entity":"Trip","id":"1"}]}"#,
          #"update Tag 3 ["trips"] {"trips":[{"entity":"Trip","id":"1"}]} {"trips":[]}"#,
        ]
      )
      try store.write(Author()) { try $0.delete(tag, id: 2) }
      #expect(
        try lastChanges(of: store) == [
          #"delete Tag 2 {"word":"tag 2","trips":[{"entity":"Trip","id":"1"}]}"#
        ]
      )
      try store.write(Author()) { try $0.delete(trip, id: 1) }
      let last = try lastChanges(of: store)
      #expect(
        last.contains(
          #"update Tag 4 ["trips"] {"trips":[{"entity":"Trip","id":"1"}]} {"trips":[]}"#
        )
      )
      #expect(try rows("SELECT * FROM Tag_trips", in: store).isEmpty)
    }
  }

  @Test("A transaction records its author, time and host, and has a new seed.")
  func header() throws {
    try withSample { store in
      try store.write(Author(process: "widget", bundle: "org.example")) {
        try $0.delete(item, id: 1)
      }
      let found = try rows(
        """
        SELECT id, author, process, bundle, process_id, first_change, changes, length(seed),
          length(host) > 0, schema FROM history_transaction
        """,
        in: store
      )
      let own = ProcessInfo.processInfo.processIdentifier
      #expect(
        found == [
          "1|setup|\(Author.currentProcess)|null|\(own)|1|6|16|1|1",
          "2|null|widget|org.example|\(own)|7|1|16|1|1",
        ]
      )
      #expect(try rows("SELECT count(DISTINCT seed) FROM history_transaction", in: store) == ["2"])
      let times = try rows("SELECT time FROM history_transaction ORDER BY id", in: store)
      #expect(times == times.sorted())
      #expect(
        times.allSatisfy {
          $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil
        }
      )
    }
  }
}

@Suite("Names in history")
struct LogNameTests {
  private func entity(_ name: String, parent: String? = nil, _ attributes: [Attribute]) -> Entity {
    Entity(name: name, parent: parent, table: parent ?? name, attributes: attributes)
  }

  @Test("A name with two types, or two spellings, is written with its entity.")
  func names() throws {
    let shared = Attribute(name: "code", type: .int64)
    let schema = StoreSchema(
      version: "1",
      entities: [
        entity("A", [shared, Attribute(name: "name", type: .string)]),
        entity("B", parent: "A", [shared, Attribute(name: "size", type: .int8)]),
        entity("C", [Attribute(name: "code", type: .string), Attribute(name: "name", type: .url)]),
        entity("D", [Attribute(name: "Size", type: .int8), Attribute(name: "day", type: .date)]),
      ]
    )
    let names = try schema.layouts().map { $0.columns.map(\.logName) }
    #expect(
      names == [
        ["A.code", "name"], ["A.code", "B.size"], ["C.code", "name"], ["D.Size", "day"],
      ]
    )
  }

  @Test("History with such names is written and replayed.")
  func history() throws {
    let schema = StoreSchema(
      version: "1",
      entities: [
        entity("A", [Attribute(name: "code", type: .int64)]),
        entity("C", [Attribute(name: "code", type: .string)]),
      ]
    )
    try withStore(.memory, schema: schema) { store, _ in
      try store.write(Author()) { writer in
        try writer.insert(0, id: 1, values: [.integer(7)])
        try writer.insert(1, id: 1, values: [.text("x")])
      }
      try store.write(Author()) { try $0.update(0, id: 1, columns: [0], values: [.integer(8)]) }
      #expect(
        try recorded(store).map(\.text) == [
          #"insert A 1 {"A.code":7}"#, #"insert C 1 {"C.code":"x"}"#,
          #"update A 1 ["A.code"] {"A.code":7} {"A.code":8}"#,
        ]
      )
      let replica = try Store.open(
        .memory("replica"),
        schema: schema,
        options: Options(origin: ReplicaOrigin(identifier: store.identifier, lineage: 0))
      )
      try copyHistory(of: store, into: replica)
      #expect(try rowDump(of: replica) == rowDump(of: store))
    }
  }
}

/// The history of a store; a function in this suite hides the other name.
private func recorded(_ store: Store) throws -> [RecordedChange] { try history(of: store) }
