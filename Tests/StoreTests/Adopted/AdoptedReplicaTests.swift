import Format
import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Store

@Suite("Replicas of a database of another program")
struct AdoptedReplicaTests {
  /// Expects that a replica has the rows of its origin, and its later history.
  private func expectEquality(
    _ replica: FollowingReplica,
    _ program: AdoptedProgram,
    after transaction: Int64
  ) throws {
    #expect(try programRows(of: replica.url.path) == programRows(of: program.path))
    let expected = try lines(of: program.open(), after: transaction)
    #expect(try lines(of: replica.open(), after: transaction) == expected)
  }

  @Test("A snapshot of an earlier state has the rows of that time, and replays to the present.")
  func snapshot() throws {
    let program = try AdoptedProgram("PRAGMA journal_mode = WAL;")
    let earlier = try programRows(of: program.path)
    try program.run(
      """
      UPDATE loose SET b = 'later' WHERE a = 1; UPDATE loose SET b = 'last' WHERE a = 1;
      DELETE FROM loose WHERE a IS NULL; INSERT INTO loose VALUES (5, 6);
      DELETE FROM pair; INSERT INTO pair VALUES ('new', 1, printf('%.*c', 1200000, 'y'));
      UPDATE tag SET n = 1e300 WHERE word IS NULL; DELETE FROM person WHERE id = 2;
      """
    )
    let start = try program.open().read { try $0.adoptedStart() }
    #expect(start == 1)
    let replica = try program.replica("replica.db", after: start)
    #expect(try programRows(of: replica.url.path) == earlier)
    let count = try program.open().read(after: start) { try $0.snapshotCount() }
    #expect(count == Int64(earlier.count))
    try replica.follow(program.open())
    try expectEquality(replica, program, after: 1)
    let present = try program.replica("present.db")
    #expect(try programRows(of: present.url.path) == programRows(of: program.path))
  }

  @Test("An earlier state has rows with keys in the order of the table, and deleted rows last.")
  func order() throws {
    let program = try AdoptedProgram()
    try program.run(
      """
      INSERT INTO tag VALUES ('green', 3); UPDATE tag SET n = 9 WHERE word = 'red';
      DELETE FROM tag WHERE word = 'blue'; UPDATE tag SET n = 0 WHERE word IS NULL;
      """
    )
    try program.run("UPDATE person SET age = 1 WHERE id = 1; DELETE FROM person WHERE id = 2")
    let replica = try program.replica("replica.db", after: 1)
    let file = program.path + ".past"
    try program.open().read { reader in
      _ = try PastState(reader, after: 1).write(to: file, tables: ["tag"])
    }
    for path in [replica.url.path, file] {
      let words = try Connection(path: path, mode: .readOnly)
        .all("SELECT word FROM tag ORDER BY rowid") { $0.value(at: 0) }
      #expect(words == [.text("red"), .null, .text("blue")])
    }
    var ids: [ObjectID] = []
    try program.open().read(after: 1) { reader in
      try reader.snapshot { if $0.entity.elementsEqual("person".utf8) { ids.append($0.id) } }
    }
    #expect(ids == [1, 2, 3])
  }

  @Test("Rows that swap their unique values in a transaction reach a replica.")
  func swappedValues() throws {
    let program = try AdoptedProgram()
    let replica = try program.replica("replica.db", after: 1)
    try program.run(
      """
      BEGIN;
      UPDATE person SET name = 'free' WHERE id = 1;
      UPDATE person SET name = 'Ann' WHERE id = 3;
      UPDATE person SET name = 'Cy' WHERE id = 1;
      UPDATE tag SET word = 'free' WHERE word = 'red';
      UPDATE tag SET word = 'red' WHERE word = 'blue';
      UPDATE tag SET word = 'blue' WHERE word = 'free';
      COMMIT;
      """
    )
    try replica.follow(program.open())
    try expectEquality(replica, program, after: 1)
    #expect(try programRows(of: replica.url.path).contains("person 1,'Cy',30"))
  }

  @Test("A row that only its rowid identifies gets this rowid in a replica from another row.")
  func takenRowid() throws {
    let program = try AdoptedProgram()
    let replica = try program.replica("replica.db", after: 1)
    // The replica gives the row with a key the next free number, which is 4.
    try program.run("INSERT INTO tag(rowid, word, n) VALUES (50, 'far', 1), (4, NULL, 2)")
    try replica.follow(program.open())
    try expectEquality(replica, program, after: 1)
    let reading = try Connection(path: replica.url.path, mode: .readOnly)
    #expect(try reading.integer("SELECT rowid FROM tag WHERE n = 2") == 4)
    #expect(try reading.integer("SELECT rowid FROM tag WHERE word = 'far'") == 5)
  }

  @Test("A row that differs from history stops the replay, and the replica stays as it is.")
  func difference() throws {
    let program = try AdoptedProgram()
    let replica = try program.replica("replica.db", after: 1)
    let altered = try Connection(path: replica.url.path, mode: .readWrite)
    try altered.setTriggers(enabled: false)
    try altered.execute("UPDATE person SET age = 99 WHERE id = 1; DELETE FROM pair WHERE y = 2")
    let rows = try programRows(of: replica.url.path)
    try program.run("BEGIN; UPDATE person SET age = 31 WHERE id = 1; DELETE FROM pair; COMMIT")
    let error = try storeError { try replica.follow(program.open()) }
    #expect(error.code == .replayMismatch)
    #expect(
      error.replayDifferences.map(\.description) == [
        #"person 1.age is "integer:99" and should be "integer:30""#,
        #"pair ["text:k","integer:2"] is missing"#,
      ]
    )
    #expect(try programRows(of: replica.url.path) == rows)
  }

  @Test("A replica does not run a statement of a forged schema that creates nothing.")
  func forgedSchema() throws {
    let program = try AdoptedProgram()
    let schema = try program.open().schema
    let statements = [
      "DELETE FROM travelog_catalog", "ATTACH ':memory:' AS other", " /* CREATE */ DROP TABLE pet",
      "PRAGMA user_version = 7", "",
    ]
    for (number, sql) in statements.enumerated() {
      var forged = schema
      let index = try #require(forged.adopted?.firstIndex { $0.type == "view" })
      forged.adopted?[index].sql = sql
      let file = program.file("forged-\(number).db")
      let error = try storeError {
        _ = try Store.open(
          .file(file),
          schema: forged,
          options: Options(origin: ReplicaOrigin(identifier: "origin", lineage: 0))
        )
      }
      #expect(error.code == .invalidSchema)
      #expect(error.message.contains("does something else than create 'adult'"), "\(sql)")
    }
  }

  @Test("Tables that the program adds, rebuilds and drops reach a replica with all their rows.")
  func changedTables() throws {
    let program = try AdoptedProgram()
    let replica = try program.replica("replica.db", after: 1)
    try program.run("ALTER TABLE pair ADD COLUMN mail TEXT DEFAULT 'none'")
    try program.run("UPDATE pair SET mail = 'a@b' WHERE y = 1")
    try replica.follow(program.open())
    try expectEquality(replica, program, after: 1)
    try program.run(
      """
      DROP TABLE tag; CREATE TABLE tag(word TEXT PRIMARY KEY, n); INSERT INTO tag VALUES ('x', 1);
      DROP TABLE pet; CREATE TABLE fresh(a PRIMARY KEY) WITHOUT ROWID; INSERT INTO fresh VALUES (1)
      """
    )
    try replica.follow(program.open())
    try Store.suspend(program.path) {
      try program.run("DROP VIEW adult; ALTER TABLE person DROP COLUMN age")
    }
    try replica.follow(program.open())
    try expectEquality(replica, program, after: 1)
    let history = try program.history()
    #expect(
      history.map(\.operation)
        == ["difference", "difference", "difference", "migration", "migration"]
    )
    // The first transaction of a pair has the changes, and the second one the new definition.
    #expect(
      history.map(\.changes) == [
        [#"update pair ["text:k","integer:1"] {"mail":"text:none"} {"mail":"text:a@b"}"#],
        [],
        [
          #"insert fresh 1  {"a":"integer:1"}"#,
          #"insert tag ["text:x"]  {"word":"text:x","n":"integer:1"}"#,
        ],
        [
          #"update person 1 {"age":"integer:30"} {"age":null}"#,
          #"update person 3 {"age":"integer:5"} {"age":null}"#,
        ],
        [],
      ]
    )
    // The rows of dropped tables are not known, so the logs can't begin earlier.
    let start = try #require(try program.open().read { try $0.adoptedStart() })
    #expect(start == 4)
    let new = try program.replica("new.db", after: start)
    try new.follow(program.open())
    #expect(try programRows(of: new.url.path) == programRows(of: program.path))
  }

  @Test(
    "After a deletion of history, logs begin where history begins, with the schema of that time."
  )
  func prunedStart() throws {
    let program = try AdoptedProgram()
    try program.run("DROP TABLE pet; CREATE TABLE pet(id INTEGER PRIMARY KEY, name)")
    for age in 1...3 {
      _ = try program.history()
      try program.run("UPDATE person SET age = \(age) WHERE id = 1")
    }
    #expect(try program.history().count == 4)
    #expect(try program.open().read { try $0.adoptedStart() } == 2)
    let earlier = try programRows(of: program.path)
    try program.open().deleteHistory([1...3])
    try Store.suspend(program.path) {
      try program.run("ALTER TABLE person RENAME COLUMN age TO years")
    }
    let start = try program.open().read { try $0.adoptedStart() }
    #expect(start == 3)
    let replica = try program.replica("replica.db", after: 5)
    #expect(try programRows(of: replica.url.path) == earlier)
    let first = try program.replica("first.db", after: start)
    try first.follow(program.open())
    #expect(try programRows(of: first.url.path) == programRows(of: program.path))
  }

  @Test("A replica has no application ID of a forged schema that would make it a store of ours.")
  func forgedApplication() throws {
    let program = try AdoptedProgram()
    var schema = try program.open().schema
    schema.userVersion = 7
    schema.applicationID = Catalog.applicationID
    let file = program.file("forged.db")
    let origin = ReplicaOrigin(identifier: UUID().uuidString, lineage: 0)
    _ = try Store.open(.file(file), schema: schema, options: Options(origin: origin))
    let connection = try Connection(path: file.path, mode: .readOnly)
    #expect(try connection.integer("PRAGMA application_id") == 0)
    #expect(try connection.integer("PRAGMA user_version") == 7)
    #expect(try Store.open(.file(file)).schema == schema)
  }
}
