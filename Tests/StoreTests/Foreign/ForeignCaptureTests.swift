import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

@Suite("Capture of foreign changes")
struct ForeignCaptureTests {
  /// The changes that SQL records in a store with three trips, two tags and one link.
  private func changes(_ sql: [String]) throws -> [[String]] {
    var result: [[String]] = []
    try withForeignStore { store, connection in
      try store.write(Author(name: "app")) { writer in
        try writer.insert(Kind.plan, id: 1, values: [.text("p")])
        for (id, name) in [(1, "Oslo"), (2, "Rome"), (3, "Bern")] as [(Int64, String)] {
          try writer.insert(
            Kind.trip,
            id: id,
            values: [.text(name), .real(Double(id)), .null, .integer(1)]
          )
        }
        for id in 1...2 { try writer.insert(Kind.tag, id: Int64(id), values: [.text("t\(id)")]) }
        try writer.link(Kind.tag, relationship: "trips", source: 1, target: 1)
      }
      for statement in sql { try connection.execute(statement) }
      result = try foreignChanges(of: store)
      try expectAgreement(store)
    }
    return result
  }

  private let rome = #"{"name":"Rome","price":2.0,"image":null,"plan":{"entity":"Plan","id":"1"}}"#

  private func trip(_ name: String, _ price: String = "null") -> String {
    #"{"name":"\#(name)","price":\#(price),"image":null,"plan":null}"#
  }

  private func renamed(_ id: Int, _ old: String, _ new: String) -> String {
    #"update Trip \#(id) ["name"] {"name":\#(old)} {"name":\#(new)}"#
  }

  @Test("A change of rows is a transaction without an author.")
  func update() throws {
    try withForeignStore { store, connection in
      try store.write(Author(name: "app")) { writer in
        for id in 1...3 {
          try writer.insert(
            Kind.trip,
            id: Int64(id),
            values: [.text("\(id)"), .null, .null, .null]
          )
        }
      }
      try connection.execute("UPDATE Trip SET price = id WHERE id > 1")
      try store.write(Author(name: "app")) { try $0.delete(Kind.trip, id: 1) }
      let found = try store.read { reader in try (1...3).map { try reader.transaction($0) } }
      let foreign = try #require(found[1])
      #expect(foreign.operation == .foreign)
      #expect(foreign.author == nil)
      #expect(foreign.process.isEmpty && foreign.processID == 0 && foreign.host.isEmpty)
      #expect(foreign.count == 2 && foreign.seed != nil && foreign.digest != nil)
      #expect(foreign.schema == found[0]?.schema)
      #expect(
        foreign.time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000Z/) != nil
      )
      #expect(found[2]?.author == "app")
      #expect(try capturedCount(connection) == 0)
      #expect(try replayedLines(store).count == 3 + 2 + 1)
    }
  }

  private func replayedLines(_ store: Store) throws -> [Substring] {
    try lines(of: store).split(separator: "\n").filter { $0.contains(#""kind":"change""#) }
  }

  @Test("Inserts, updates and deletes of one foreign transaction are merged like the store's own.")
  func folding() throws {
    #expect(
      try changes([
        "BEGIN",
        "UPDATE Trip SET name = 'x' WHERE id = 2",
        "UPDATE Trip SET name = 'y' WHERE id = 2",
        "INSERT INTO Trip (name) VALUES ('new')",
        "UPDATE Trip SET price = 4 WHERE name = 'new'",
        "UPDATE Trip SET name = name, price = 1.0 WHERE id = 1",
        "INSERT INTO Tag (word) VALUES ('gone')",
        "DELETE FROM Tag WHERE word = 'gone'",
        "DELETE FROM Trip WHERE id = 3",
        "COMMIT",
      ]) == [
        [
          renamed(2, #""Rome""#, #""y""#),
          "insert Trip 4 " + trip("new", "4"),
          #"delete Trip 3 {"name":"Bern","price":3.0,"image":null,"plan":{"entity":"Plan","id":"1"}}"#,
        ]
      ]
    )
  }

  @Test("Rows that REPLACE deletes are recorded, whatever the conflict is.")
  func replace() throws {
    #expect(
      try changes(["INSERT OR REPLACE INTO Trip (id, name) VALUES (1, 'Rome')"]) == [
        [
          "delete Trip 2 " + rome,
          #"update Trip 1 ["name","price","plan"] {"name":"Oslo","price":1.0,"#
            + #""plan":{"entity":"Plan","id":"1"}} {"name":"Rome","price":null,"plan":null}"#,
        ]
      ]
    )
    #expect(
      try changes(["REPLACE INTO Trip (name, price, plan) VALUES ('new', 2, 1)"]) == [
        [
          "delete Trip 2 " + rome,
          #"insert Trip 4 {"name":"new","price":2,"image":null,"plan":{"entity":"Plan","id":"1"}}"#,
        ]
      ]
    )
    #expect(
      try changes(["UPDATE OR REPLACE Trip SET name = 'Rome' WHERE id = 1"]) == [
        ["delete Trip 2 " + rome, renamed(1, #""Oslo""#, #""Rome""#)]
      ]
    )
    // Null values do not conflict.
    #expect(
      try changes(["INSERT OR REPLACE INTO Trip (name, price) VALUES (NULL, 1.0)"])
        == [[#"insert Trip 4 {"name":null,"price":1.0,"image":null,"plan":null}"#]]
    )
  }

  @Test("With recursive triggers, rows that REPLACE deletes are recorded once.")
  func recursive() throws {
    #expect(
      try changes([
        "PRAGMA recursive_triggers = ON",
        "INSERT OR REPLACE INTO Trip (id, name) VALUES (7, 'Rome')",
      ]) == [["delete Trip 2 " + rome, "insert Trip 7 " + trip("Rome")]]
    )
  }

  @Test("Rows that are kept after a conflict are not changes.")
  func ignored() throws {
    #expect(
      try changes([
        "INSERT OR IGNORE INTO Trip (id, name) VALUES (1, 'Rome'), (9, 'new')",
        "UPDATE OR IGNORE Trip SET name = 'Bern'",
        "INSERT INTO Trip (name) VALUES ('Oslo') ON CONFLICT DO NOTHING",
      ]) == [["insert Trip 9 " + trip("new")]]
    )
    #expect(
      try changes([
        "INSERT INTO Trip (name, price) VALUES ('Rome', 8)"
          + " ON CONFLICT (name) DO UPDATE SET price = excluded.price"
      ]) == [[#"update Trip 2 ["price"] {"price":2.0} {"price":8}"#]]
    )
  }

  @Test("A changed id is a delete and an insert, and the old id is never used again.")
  func ids() throws {
    try withForeignStore { store, connection in
      try store.write(Author()) {
        try $0.insert(Kind.trip, id: 1, values: [.text("Oslo"), .null, .null, .null])
        try $0.insert(Kind.tag, id: 1, values: [.text("t")])
        try $0.link(Kind.tag, relationship: "trips", source: 1, target: 1)
      }
      try connection.execute("BEGIN; UPDATE Trip SET id = 70; UPDATE Tag SET id = 5; COMMIT")
      #expect(
        try foreignChanges(of: store) == [
          [
            "delete Trip 1 " + trip("Oslo"), "insert Trip 70 " + trip("Oslo"),
            #"delete Tag 1 {"word":"t","trips":[{"entity":"Trip","id":"1"}]}"#,
            #"insert Tag 5 {"word":"t"}"#,
          ]
        ]
      )
      let ids = try store.write(Author()) { try $0.reserveIDs("Trip", count: 1) }
      #expect(ids == 71)
      try connection.execute("INSERT INTO Trip (id) VALUES (\(Int64.max)), (\(Int64.min)), (-1)")
      try expectAgreement(store)
      let error = #expect(throws: StoreError.self) {
        try store.write(Author()) { try $0.reserveIDs("Trip", count: 1) }
      }
      #expect(error?.message.contains("Trip") == true)
    }
  }

  @Test("A program that resets the sequence of ids does not make the store reuse one.")
  func sequences() throws {
    try withForeignStore { store, connection in
      func add() throws -> Int64 {
        try store.write(Author()) { writer in
          let id = try writer.reserveIDs("Tag", count: 1)
          try writer.insert(Kind.tag, id: id, values: [.text("w")])
          return id
        }
      }
      #expect(try [add(), add()] == [1, 2])
      try connection.execute("DELETE FROM sqlite_sequence")
      #expect(try add() == 3)
      try connection.execute("UPDATE sqlite_sequence SET seq = 0")
      #expect(try add() == 4)
      #expect(try rows("SELECT id FROM history_transaction", in: store) == ["1", "2", "3", "4"])
    }
  }

  @Test("A rolled-back transaction records nothing.")
  func rollback() throws {
    #expect(
      try changes([
        "BEGIN", "UPDATE Trip SET name = 'a' WHERE id = 1", "SAVEPOINT s",
        "UPDATE Trip SET name = 'b' WHERE id = 2", "ROLLBACK TO s",
        "UPDATE Trip SET name = 'c' WHERE id = 3", "COMMIT",
        "BEGIN", "DELETE FROM Trip", "ROLLBACK",
      ]) == [[renamed(1, #""Oslo""#, #""a""#), renamed(3, #""Bern""#, #""c""#)]]
    )
  }

  @Test("A swap of unique values between two rows is two updates.")
  func swap() throws {
    #expect(
      try changes([
        "BEGIN", "UPDATE Trip SET name = NULL WHERE id = 1",
        "UPDATE Trip SET name = 'Oslo' WHERE id = 2", "UPDATE Trip SET name = 'Rome' WHERE id = 1",
        "COMMIT",
      ]) == [[renamed(1, #""Oslo""#, #""Rome""#), renamed(2, #""Rome""#, #""Oslo""#)]]
    )
  }

  @Test("Links are changes of the side that owns them, with or without a change of its row.")
  func links() throws {
    #expect(
      try changes([
        "BEGIN", "INSERT INTO Tag_trips (Tag, Trip) VALUES (1, 2), (2, 3), (77, 1)",
        "REPLACE INTO Tag_trips (Tag, Trip) VALUES (1, 2)",
        "UPDATE Tag_trips SET Trip = 3 WHERE Tag = 1 AND Trip = 1",
        "DELETE FROM Tag WHERE id = 2",
        "INSERT INTO Tag (id, word) VALUES (77, 'late')", "COMMIT",
      ]) == [
        [
          #"delete Tag 2 {"word":"t2"}"#,
          #"insert Tag 77 {"word":"late","trips":[{"entity":"Trip","id":"1"}]}"#,
          #"update Tag 1 ["trips"] {"trips":[{"entity":"Trip","id":"1"}]} "#
            + #"{"trips":[{"entity":"Trip","id":"2"},{"entity":"Trip","id":"3"}]}"#,
        ]
      ]
    )
  }

  @Test("A row that changes its entity is a different object, with its links.")
  func families() throws {
    try withForeignStore { store, connection in
      try connection.execute(
        """
        BEGIN; INSERT INTO Plan (id, _entity, title, room) VALUES (1, 'Meeting', 'm', 'R1');
        INSERT INTO Plan_friends (Plan, Tag) VALUES (1, 4); COMMIT;
        """
      )
      try seal(store)
      try connection.execute(
        "BEGIN; UPDATE Plan SET _entity = 'Rest';"
          + "INSERT OR REPLACE INTO Plan (_entity, title, room) VALUES ('Meeting', 'n', 'R1');"
          + "UPDATE OR REPLACE Plan SET _entity = 'Meeting' WHERE id = 1; COMMIT"
      )
      let friends = #","friends":[{"entity":"Tag","id":"4"}]"#
      let found = try foreignChanges(of: store)
      #expect(Array(found.joined()) == [#"insert Meeting 1 {"title":"m","room":"R1"\#(friends)}"#])
      try expectAgreement(store)
      #expect(try rows("SELECT id, _entity FROM Plan", in: store) == ["1|Meeting"])
      // A partial unique index does not apply to the other rows.
      try connection.execute(
        "INSERT OR REPLACE INTO Plan (_entity, title, room) VALUES ('Rest', 'o', 'R1'),"
          + " ('Plan', 'p', 'R1'), ('Meeting', 'q', NULL)"
      )
      try expectAgreement(store)
      #expect(try rows("SELECT count(*) FROM Plan", in: store) == ["4"])
      // No entity of the schema.
      try connection.execute(
        "PRAGMA ignore_check_constraints = ON;"
          + "INSERT INTO Plan (_entity, title) VALUES ('Stranger', 'x');"
          + "UPDATE Plan SET _entity = 'Unknown' WHERE id = 1; UPDATE Plan SET title = 'y'"
      )
      try expectAgreement(store)
      try connection.execute("UPDATE Plan SET _entity = 'Plan'")
      try expectAgreement(store)
    }
  }

  @Test("Foreign changes that were captured before a migration belong to the schema before it.")
  func migration() throws {
    try withStore(.file, schema: foreignSchema) { store, _ in
      let connection = try foreignConnection(to: store)
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      var newer = foreignSchema
      newer.version = "2.0.0"
      newer.entities[Kind.tag].attributes.append(
        Attribute(name: "color", type: .string, isOptional: true)
      )
      newer.entities.append(
        Entity(
          name: "Wide",
          attributes: (0..<9).map { Attribute(name: "a\($0)", type: .int64, isOptional: true) }
        )
      )
      newer.entities.sort { $0.name < $1.name }
      let url = URL(fileURLWithPath: store.location.path)
      try Migration.migrate(url, to: newer, author: Author(name: "m"))
      let migrated = try Store.open(.file(url), schema: newer)
      #expect(
        try rows("SELECT op FROM history_transaction", in: migrated) == ["foreign", "migration"]
      )
      try foreignConnection(to: migrated).execute(
        "BEGIN; UPDATE Tag SET color = 'red'; INSERT INTO Wide (a8) VALUES (9); COMMIT"
      )
      #expect(
        try foreignChanges(of: migrated).last == [
          #"update Tag 1 ["color"] {"color":null} {"color":"red"}"#,
          #"insert Wide 1 {"a0":null,"a1":null,"a2":null,"a3":null,"a4":null,"a5":null,"a6":null,"#
            + #""a7":null,"a8":9}"#,
        ]
      )
    }
  }

  @Test("Missing or changed triggers are created again when a store is opened or written.")
  func reinstalled() throws {
    try withForeignStore { store, connection in
      let wanted = try #require(try StoreCapture.of(foreignSchema))
      for damage in [
        "DROP TRIGGER travelog_after_update_0", "DROP TABLE travelog_rows_0",
        "DROP TABLE travelog_context", "DROP TABLE travelog_bracket",
        "DROP TRIGGER travelog_after_delete_1;"
          + "CREATE TRIGGER travelog_after_delete_1 AFTER DELETE ON Tag BEGIN SELECT 1; END",
        "CREATE TRIGGER travelog_of_mine AFTER DELETE ON Tag BEGIN SELECT 1; END",
      ] {
        try connection.execute(damage)
        #expect(try !wanted.isInstalled(on: connection), "\(damage)")
        _ = try Store.open(store.location, schema: foreignSchema)
        #expect(try wanted.isInstalled(on: connection), "\(damage)")
        try connection.execute(damage)
        try store.write(Author()) {
          try $0.insert(Kind.tag, id: $0.reserveIDs("Tag", count: 1), values: [.text("w")])
        }
        #expect(try wanted.isInstalled(on: connection), "\(damage)")
      }
      try connection.execute("CREATE TRIGGER mine AFTER DELETE ON Tag BEGIN SELECT 1; END")
      #expect(try wanted.isInstalled(on: connection))
      #expect(try store.read { try $0.historyRange().head.transaction } == 6)
    }
  }
}
