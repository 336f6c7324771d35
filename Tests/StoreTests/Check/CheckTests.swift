import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

/// What a check finds, in words.
func findings(_ store: Store, recording author: Author? = nil) throws -> [String] {
  var result: [String] = []
  try store.check(recording: author) { result.append($0.description) }
  return result
}

/// Changes that bypass all triggers, and the finding for each.
private let contradictions: [(String, String)] = [
  (
    "UPDATE Trip SET name = 'other' WHERE id = 2",
    #"Trip 2 has other values than in history: ["name"]"#
  ),
  ("DELETE FROM Tag WHERE id = 2", "history has Tag 2, but the row is missing"),
  ("INSERT INTO Tag VALUES (9, 'z')", "history does not have Tag 9, but the row exists"),
  (
    "DELETE FROM Tag_trips WHERE Trip = 2",
    #"Tag 1 has other values than in history: ["trips"]"#
  ),
  (
    "UPDATE history_transaction SET author = 'Eve' WHERE id = 2",
    "transaction 2 or an earlier transaction was altered: a digest does not match"
  ),
  (
    "UPDATE history_change SET before = replace(before, 't1', 't0') WHERE transaction_id = 2",
    "transaction 2 or an earlier transaction was altered: a digest does not match"
  ),
  ("DELETE FROM history_transaction WHERE id = 2", "transaction 2 is missing"),
  (
    "DELETE FROM history_change WHERE transaction_id = 2",
    "transaction 2 has 0 changes instead of 1"
  ),
  (
    "INSERT INTO history_change (id, transaction_id, sequence, kind, entity, object)"
      + " VALUES (99, 77, 0, 'insert', 'Tag', 5)", "1 change without a transaction"
  ),
  ("DROP INDEX Trip_plan_index", "the index Trip_plan_index is missing"),
  (
    "DROP TRIGGER travelog_after_insert_1", "the trigger travelog_after_insert_1 is missing"
  ),
  (
    "CREATE TRIGGER mine AFTER INSERT ON Tag BEGIN SELECT 1; END",
    "the trigger mine does not belong to the schema"
  ),
  (
    "DROP VIEW Meeting; CREATE VIEW Meeting AS SELECT 1",
    "the view Meeting differs from the schema"
  ),
  (
    "UPDATE Trip SET plan = 77 WHERE id = 1",
    "row 1 of Trip refers to a missing row of Plan"
  ),
  (
    "INSERT INTO Tag_trips VALUES (1, 999)",
    "a row of Tag_trips refers to a missing row of Trip"
  ),
]

@Suite("Checking a store")
struct CheckTests {
  @Test("A healthy store has no findings, whatever was written.", arguments: Place.allCases)
  func healthy(_ place: Place) throws {
    var random = SeededGenerator(for: "healthy stores")
    for mode in HistoryMode.allCases {
      let seed = random.next()
      try withTemporaryFolder { folder in
        let store = try Store.open(
          place == .memory ? .memory("store") : .file(folder.appendingPathComponent("store")),
          schema: worldSchema,
          options: Options(historyMode: mode)
        )
        var world = HistoryWorld(SeededGenerator(seed: seed))
        for _ in 0..<60 { try world.write(to: store) }
        try #require(try findings(store) == [], "seed \(seed)")
        try store.deleteHistory([20...25])
        try #require(try findings(store) == [], "seed \(seed), deleted in the middle")
        try store.deleteHistory([1...10])
        try #require(try findings(store) == [], "seed \(seed), deleted at the beginning")
        for _ in 0..<10 { try world.write(to: store) }
        try #require(try findings(store, recording: Author()) == [], "seed \(seed), recording")
      }
    }
  }

  @Test("A store has no findings after migrations, and neither has a replica that followed it.")
  func migrated() throws {
    var seeds = SeededGenerator(for: "healthy migrations")
    for _ in 0..<trials(5, long: 500) {
      let seed = seeds.next()
      var world = EvolvingSchema(SeededGenerator(seed: seed))
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("store")
        try world.fill(Store.open(.file(url), schema: world.schema))
        let replica = try FollowingReplica(
          of: Store.open(.file(url)),
          at: folder.appendingPathComponent("replica")
        )
        for step in 0..<4 {
          world.evolve()
          try Migration.migrate(url, to: world.schema, author: Author())
          try #require(try findings(Store.open(.file(url))) == [], "seed \(seed), step \(step)")
          try world.fill(Store.open(.file(url)))
        }
        try #require(try findings(Store.open(.file(url))) == [], "seed \(seed)")
        try replica.follow(Store.open(.file(url)))
        try #require(try findings(replica.open()) == [], "seed \(seed), replica")
      }
    }
  }

  @Test("Foreign changes count as history before they are sealed too.")
  func foreign() throws {
    try withForeignStore { store, connection in
      try connection.execute(
        """
        INSERT INTO Tag VALUES (1, 'w'), (2, 'x');
        INSERT INTO Plan (id, _entity, title) VALUES (5, 'Plan', 't');
        INSERT INTO Plan_friends VALUES (5, 1), (5, 2);
        UPDATE Plan SET _entity = 'Meeting', room = 'r';
        INSERT INTO Trip (id, name, price, plan) VALUES (-4, 'n', 'NaN', 5), (7, '', -0.0, NULL);
        UPDATE Trip SET name = 'm' WHERE id = 7; DELETE FROM Trip WHERE id = 7;
        """
      )
      let reading = try Store.open(store.location, options: Options(isReadOnly: true))
      #expect(try findings(reading) == [])
      #expect(try findings(store) == [])
      #expect(try capturedCount(connection) == 0)
    }
  }

  /// Calls `body` with a store that was changed without triggers.
  private func withTampered(
    _ sql: String,
    _ body: (Store) throws -> Void
  ) throws {
    try withForeignStore { store, connection in
      try store.write(Author()) { writer in
        try writer.insert(Kind.tag, id: 1, values: [.text("w")])
        for id in Int64(1)...4 {
          let image = Data(repeating: UInt8(id), count: id == 4 ? 1_200_000 : 200_000)
          let value: Value = id > 2 ? .blob(image) : .null
          try writer.insert(
            Kind.trip,
            id: id,
            values: [.text("t\(id)"), .real(Double(id)), value, .null]
          )
          try writer.link(Kind.tag, relationship: "trips", source: 1, target: id)
        }
      }
      try store.write(Author()) {
        try $0.update(Kind.trip, id: 1, columns: [0], values: [.text("new")])
      }
      try store.write(Author()) { try $0.insert(Kind.tag, id: 2, values: [.text("x")]) }
      #expect(try findings(store) == [])
      try connection.setTriggers(enabled: false)
      try connection.execute(sql)
      try body(store)
    }
  }

  @Test(
    "A check finds each contradiction between rows, history and catalog.",
    arguments: contradictions
  )
  func isFound(_ sql: String, _ expected: String) throws {
    try withTampered(sql) { store in
      let found = try findings(store)
      #expect(found.contains(expected), "\(found)")
      #expect(found.count <= 3, "\(found)")
    }
  }

  @Test("Blob files that are miscounted, missing, altered or not referenced are found.")
  func blobs() throws {
    try withTampered("UPDATE store_blob SET rows = 5 WHERE size = 200000") { store in
      let digest = SHA256.digest(of: Array(repeating: 3 as UInt8, count: 200_000)).description
      let large = SHA256.digest(of: Array(repeating: 4 as UInt8, count: 1_200_000)).description
      let folder = URL(filePath: store.location.path + "-blobs")
      #expect(
        try findings(store) == [
          "the large value \(digest) is used by 1 row and 0 changes, but the store counts 5 and 0"
        ]
      )
      try Data("altered".utf8).write(to: folder.appending(path: digest))
      try FileManager.default.removeItem(at: folder.appending(path: large))
      try Data().write(to: folder.appending(path: "mine"))
      let found = Set(try findings(store))
      #expect(found.contains("the large value \(digest) was altered"))
      #expect(found.contains("the large value \(large) is missing"))
      #expect(found.contains("the blob file mine is not referenced"))
    }
  }

  @Test("A check reports nothing if a blob file that nothing needs is missing.")
  func unneededBlob() throws {
    let digest = SHA256.digest(of: Array("unneeded".utf8)).description
    let sql = "INSERT INTO store_blob (sha256, size, rows, history) VALUES ('\(digest)', 8, 0, 0)"
    try withTampered(sql) { store in
      let found = try findings(store)
      #expect(found == [])
    }
  }

  @Test("A check finds a damaged page.")
  func damaged() throws {
    try withTampered("PRAGMA writable_schema = ON") { store in
      let url = URL(filePath: store.location.path)
      let copy = url.deletingLastPathComponent().appending(path: "copy")
      let file = try Connection(path: url.path, mode: .readWrite)
      try file.backup(to: Connection(path: copy.path, mode: .readWriteCreate))
      let page = try file.prepare(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'Trip_plan_index'"
      )
      guard try page.step() else { return }
      var bytes = try Data(contentsOf: copy)
      let start = (Int(page.int64(at: 0)) - 1) * 4096
      bytes.replaceSubrange(start + 100..<start + 4096, with: Data(repeating: 0, count: 3996))
      try bytes.write(to: copy)
      let found = try findings(Store.open(.file(copy), options: Options(isReadOnly: true)))
      #expect(found.contains { $0.hasPrefix("SQLite reports") }, "\(found)")
    }
  }

  @Test("Changes that bypassed the triggers are recorded as a gap, and a replica has them.")
  func gap() throws {
    let sql = """
      UPDATE Trip SET name = 'other', price = 'NaN' WHERE id = 2;
      DELETE FROM Trip WHERE id = 3; DELETE FROM Tag_trips WHERE Trip = 3;
      UPDATE Trip SET image = (SELECT image FROM Trip WHERE id = 4) WHERE id = 1;
      INSERT INTO Tag VALUES (9, 'z'); INSERT INTO Tag_trips VALUES (9, 1), (2, 1);
      DELETE FROM Tag_trips WHERE Trip = 2;
      INSERT INTO Plan (id, _entity, title) VALUES (5, 'Rest', 't');
      """
    try withTampered(sql) { store in
      let found = try findings(store)
      #expect(found.count > 6)
      #expect(Set(try findings(store, recording: Author(name: "auditor"))) == Set(found))
      #expect(try findings(store) == [])
      let last = try store.read { try $0.transaction($0.lastTransaction()) }
      #expect(last?.operation == .gap)
      #expect(last?.author == "auditor")
      #expect(last?.count == 7)
      try withTemporaryFolder { folder in
        let replica = try FollowingReplica(of: store, at: folder.appendingPathComponent("replica"))
        try replica.follow(store)
        try replica.expectEquality(store)
      }
      #expect(try findings(store, recording: Author()) == [])
      #expect(try store.read { try $0.lastTransaction() } == last?.id)
    }
  }

  @Test("A gap in tombstone mode erases the earlier values of deleted objects, and of no others.")
  func gapOfTombstones() throws {
    try withTemporaryFolder { folder in
      let store = try Store.open(
        .file(folder.appendingPathComponent("store")),
        schema: foreignSchema,
        options: Options(historyMode: .tombstones)
      )
      try store.write(Author()) { writer in
        for (id, word) in [(1, "gone"), (2, "kept")] as [(Int64, String)] {
          try writer.insert(Kind.tag, id: id, values: [.text(word)])
        }
      }
      let connection = try foreignConnection(to: store)
      try connection.setTriggers(enabled: false)
      try connection.execute(
        "DELETE FROM Tag WHERE id = 1; UPDATE Tag SET word = 'other' WHERE id = 2"
      )
      #expect(try store.check(recording: Author()) { _ in }.recorded == 2)
      #expect(
        try rows(
          "SELECT object, after FROM history_change WHERE transaction_id = 1 ORDER BY object",
          in: store
        ) == [#"1|{"word":null}"#, #"2|{"word":"kept"}"#]
      )
    }
  }

  @Test("Only a replica that ends where the store's history begins completes a check.")
  func beginning() throws {
    try withForeignStore { store, connection in
      for id in Int64(1)...3 {
        try store.write(Author()) { try $0.insert(Kind.tag, id: id, values: [.text("\(id)")]) }
      }
      try withTemporaryFolder { folder in
        func replica(through last: Int64) throws -> FollowingReplica {
          let url = folder.appendingPathComponent("\(last)")
          let replica = try FollowingReplica(of: store, at: url)
          try replica.follow(store, through: last)
          return replica
        }
        let (earlier, exact) = (try replica(through: 1), try replica(through: 2))
        #expect(try store.deleteHistory([1...2]) == 2)
        func unknown(since replica: FollowingReplica?) throws -> Int64 {
          try store.check(since: replica?.open()) { _ in }.unknown
        }
        #expect(try unknown(since: nil) == 2)
        #expect(try unknown(since: exact) == 0)
        #expect(try storeError { _ = try unknown(since: earlier) }.code == .historyDiverged)
        // The catalog is forged: the digest is still that of transaction 2.
        try connection.execute("UPDATE store_catalog SET value = 1 WHERE key = 'history_base'")
        #expect(try storeError { _ = try unknown(since: exact) }.code == .historyDiverged)
      }
    }
  }

  @Test("In a forged change, a link without a number is not the link to object 1.")
  func forgedLink() throws {
    try withForeignStore { store, connection in
      try store.write(Author()) { writer in
        try writer.insert(Kind.trip, id: 1, values: [.null, .null, .null, .null])
        try writer.insert(Kind.tag, id: 1, values: [.text("w")])
      }
      try store.write(Author()) {
        try $0.link(Kind.tag, relationship: "trips", source: 1, target: 1)
      }
      #expect(try findings(store) == [])
      let links = #"{"trips":[{"entity":"Trip","id":"x"},{"entity":"Trip","id":"1"}]}"#
      try connection.run(
        "UPDATE history_change SET after = ?1 WHERE transaction_id = 2",
        values: [.text(links)]
      )
      let found = try findings(store)
      #expect(
        found.contains(#"Tag 1 has other values than in history: ["trips"]"#),
        "\(found)"
      )
    }
  }

  @Test("Random changes that bypassed the triggers are recorded, also of replaced objects.")
  func randomGaps() throws {
    var random = SeededGenerator(for: "gaps")
    for trial in 0..<trials(5, long: 200) {
      try withForeignStore { store, connection in
        for step in 0..<6 {
          try connection.setTriggers(enabled: step % 2 == 0)
          for _ in 0..<4 {
            let id = Int.random(in: 1...4, using: &random)
            let other = Int.random(in: 1...4, using: &random)
            let statements = [
              "INSERT OR IGNORE INTO Tag VALUES (\(id), 'w')",
              "INSERT OR IGNORE INTO Plan (id, _entity, title) VALUES (\(id), 'Plan', 't')",
              "UPDATE Plan SET _entity = 'Meeting', room = 'r' || id WHERE id = \(id)",
              "UPDATE Plan SET _entity = 'Rest', room = NULL WHERE id = \(id)",
              "UPDATE Plan SET title = title || 'u' WHERE id = \(id)",
              "INSERT OR IGNORE INTO Plan_friends SELECT p.id, t.id FROM Plan p, Tag t"
                + " WHERE p.id = \(id) AND t.id = \(other)",
              "DELETE FROM Plan_friends WHERE Plan = \(id); DELETE FROM Plan WHERE id = \(id)",
              "DELETE FROM Plan_friends WHERE Plan = \(id) AND Tag = \(other)",
            ]
            try connection.execute(statements.randomElement(using: &random) ?? "")
          }
          let before = try rowDump(of: store)
          try store.check(recording: Author()) { _ in }
          try #require(try findings(store) == [], "seed \(random.seed), \(trial), \(step)")
          #expect(try rowDump(of: store) == before)
        }
        try withTemporaryFolder { folder in
          let replica = try FollowingReplica(of: store, at: folder.appendingPathComponent("copy"))
          try replica.follow(store)
          try #require(
            try sortedRowDump(of: replica.open()) == sortedRowDump(of: store),
            "seed \(random.seed), \(trial)"
          )
        }
      }
    }
  }

  @Test("An attribute that a migration added is compared in objects that have never set it.")
  func addedAttribute() throws {
    let schema = { (version: String, added: [String]) in
      StoreSchema(
        version: version,
        entities: [
          Entity(
            name: "Trip",
            attributes: [Attribute(name: "name", type: .string)]
              + added.map { Attribute(name: $0, type: .string, isOptional: true) }
          )
        ]
      )
    }
    try withStoreFile(
      schema("1", []),
      fill: { writer in
        for id in 1...3 as ClosedRange<Int64> {
          try writer.insert(0, id: id, values: [.text("trip \(id)")])
        }
      },
      { url in
        try Store.open(.file(url)).write(Author()) { writer in
          try writer.update(0, id: 2, columns: [0], values: [.text("renamed")])
        }
        try Migration.migrate(url, to: schema("2", ["note"]), author: Author())
        try Store.open(.file(url)).write(Author()) { writer in
          try writer.update(0, id: 3, columns: [1], values: [.text("set")])
        }
        try Migration.migrate(url, to: schema("3", ["note", "place"]), author: Author())
        var unknown: Int64 = 0
        func check() throws -> [String] {
          var findings: [String] = []
          unknown = try Store.open(.file(url)).check { findings.append($0.description) }.unknown
          return findings
        }
        #expect(try check() == [] && unknown == 0)
        let connection = try Connection(path: url.path(percentEncoded: false), mode: .readWrite)
        try connection.setTriggers(enabled: false)
        try connection.execute("UPDATE Trip SET note = 'forged' WHERE id = 1")
        try connection.execute("UPDATE Trip SET place = 'forged' WHERE id IN (2, 3)")
        let found = try check()
        #expect(found.count == 3 && unknown == 0)
        #expect(found.first?.contains(#"["note"]"#) == true)
        #expect(found.last?.contains(#"["place"]"#) == true)
      }
    )
  }
}
