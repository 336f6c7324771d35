import Format
import Foundation
import Pipeline
import Store
import TestSupport
import Testing

@Suite("Undo in an adopted file")
struct AdoptedUndoTests {
  private let shop = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT UNIQUE, age INT);
    CREATE TABLE tag(word TEXT COLLATE NOCASE PRIMARY KEY, n) WITHOUT ROWID;
    CREATE TABLE bill(number INTEGER PRIMARY KEY, person INT REFERENCES person ON DELETE CASCADE);
    CREATE TABLE loose(a, b DEFAULT 3, c AS (a || b));
    INSERT INTO person VALUES (1, 'Ann', 30), (2, 'Bob', NULL), (3, 'Cy', 4);
    INSERT INTO bill VALUES (7, 3), (8, 3);
    INSERT INTO loose VALUES (1, x'00'), ('x', 2.5);
    """

  private func store(_ world: AdoptedWorld) throws -> Store {
    try Store.open(.file(URL(fileURLWithPath: world.path)))
  }

  /// The number of the last transaction.
  private func last(_ world: AdoptedWorld) throws -> Int64 { Int64(try world.history().count) }

  private func undo(_ range: ClosedRange<Int64>, in world: AdoptedWorld) throws -> Int64? {
    try store(world).undo(range, author: Author(name: "Zoe"))
  }

  /// The message of the error of an undo, which must have changed nothing.
  private func refusal(_ id: Int64, in world: AdoptedWorld) throws -> String {
    let (rows, count) = (try recordedRows(of: world.path), try last(world))
    var message = ""
    do {
      _ = try undo(id...id, in: world)
    } catch let error as StoreError {
      message = error.message
    }
    #expect(try recordedRows(of: world.path) == rows)
    #expect(try last(world) == count)
    return message
  }

  @Test(
    "An undo restores rows of every kind of table, and is a transaction of its author.",
    arguments: [
      "UPDATE person SET name = 'Eve', age = 0.5 WHERE id = 1; INSERT INTO person VALUES (9, 'x', 1)",
      "DELETE FROM bill; INSERT INTO tag VALUES ('A', x'01'), ('b', NULL); UPDATE tag SET word = 'a'"
        + " WHERE word = 'A'",
      "UPDATE loose SET b = 'new' WHERE a = 1; DELETE FROM loose WHERE a = 'x'; INSERT INTO loose"
        + " VALUES (NULL, NULL)",
      "PRAGMA foreign_keys = ON; DELETE FROM person WHERE id = 3",
      "REPLACE INTO person VALUES (5, 'Ann', 7)",
      "DELETE FROM person WHERE id = 2; INSERT INTO person VALUES (11, 'Bob', 3)",
    ],
    AdoptedWorld.encodings
  )
  func restored(_ statements: String, encoding: String) throws {
    let world = try AdoptedWorld(shop, encoding: encoding)
    let before = try recordedRows(of: world.path)
    try world.run(statements)
    let changed = try recordedRows(of: world.path)
    #expect(changed != before)
    let end = try last(world)
    try world.exportLogs()
    try store(world).checkUndo(2...end)
    #expect(try recordedRows(of: world.path) == changed)
    let made = try undo(2...end, in: world)
    #expect(try recordedRows(of: world.path) == before)
    let transaction = try #require(try world.history().last)
    #expect(try last(world) == made)
    #expect(transaction.operation == "recorded")
    #expect(transaction.author == "Zoe")
    try world.exportLogs()
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    #expect(try recordedRows(of: world.restore("replica.db")) == before)
    // An undo is a transaction like others.
    let redone = try #require(made)
    _ = try undo(redone...redone, in: world)
    #expect(try recordedRows(of: world.path) == changed)
  }

  @Test("Later changes of the same rows prevent an undo, and the error lists them.")
  func conflicts() throws {
    let world = try AdoptedWorld(shop)
    try world.run("UPDATE person SET age = 31 WHERE id = 1; INSERT INTO tag VALUES ('a', 1)")
    let first = try last(world)
    try world.run("UPDATE person SET age = 32 WHERE id = 1; UPDATE tag SET n = 2")
    let later = try last(world)
    let message = try refusal(first, in: world)
    #expect(message.contains("later changes depend on it (transaction \(later))"), "\(message)")
    #expect(message.contains("person 1.age was changed: it was "), "\(message)")
    #expect(message.contains(#"tag ["text:a"].n was changed"#), "\(message)")
  }

  @Test("A trigger or a foreign key that would change other rows prevents an undo.")
  func sideEffects() throws {
    let world = try AdoptedWorld(
      shop + """
        CREATE TABLE audit(line);
        CREATE TRIGGER noting AFTER UPDATE ON person BEGIN INSERT INTO audit VALUES (NEW.id); END;
        CREATE TRIGGER keeping BEFORE DELETE ON loose WHEN OLD.a = 'keep' BEGIN
          SELECT RAISE(IGNORE); END;
        CREATE TRIGGER denying BEFORE DELETE ON tag BEGIN SELECT RAISE(ABORT, 'tags stay'); END;
        """
    )
    try world.run("UPDATE person SET age = 31 WHERE id = 1")
    let audited = try last(world)
    try world.run("INSERT INTO person VALUES (4, 'Di', 5)")
    let parent = try last(world)
    try world.run("INSERT INTO bill VALUES (9, 4)")
    try world.run("INSERT INTO loose VALUES ('keep', 1)")
    let kept = try last(world)
    try world.run("INSERT INTO tag VALUES ('t', 1)")
    let denied = try last(world)
    #expect(try refusal(audited, in: world).contains("would also change 'audit'"))
    #expect(try refusal(parent, in: world).contains("would also change 'bill'"))
    #expect(try refusal(kept, in: world).contains("prevents the undo of loose 3"))
    #expect(try refusal(denied, in: world).contains("tags stay"))
  }

  @Test("An undo that would leave a reference to a missing row is refused.")
  func references() throws {
    let world = try AdoptedWorld(
      "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY, a REFERENCES a)"
    )
    try world.run("INSERT INTO a VALUES (1)")
    let parent = try last(world)
    try world.run("INSERT INTO b VALUES (1, 1)")
    #expect(try refusal(parent, in: world).contains("refers to a missing row"))
    _ = try undo(parent...last(world), in: world)
    #expect(try recordedRows(of: world.path) == ["a": [], "b": []])
  }

  @Test("A transaction can be undone after columns and tables got new names, and after a new view.")
  func undoThroughRenaming() throws {
    let world = try AdoptedWorld(shop)
    try world.run("UPDATE person SET age = 31 WHERE id = 1")
    let changed = try last(world)
    try world.run("CREATE VIEW adults AS SELECT * FROM person WHERE age > 17")
    #expect(try last(world) > changed)
    try world.run(
      """
      DROP VIEW adults; ALTER TABLE person RENAME COLUMN age TO years;
      ALTER TABLE person ADD COLUMN mail DEFAULT 'none'; ALTER TABLE person RENAME TO human
      """
    )
    _ = try undo(changed...changed, in: world)
    let rows = try recordedRows(of: world.path)["human"]
    #expect(rows?.first == "1,'Ann',30,'none'", "\(rows ?? [])")
  }

  @Test("A transaction can be undone after only its table got a new name.")
  func undoThroughNewTableName() throws {
    let world = try AdoptedWorld(shop)
    try world.run("UPDATE person SET age = 31 WHERE id = 1")
    let changed = try last(world)
    try world.run("ALTER TABLE person RENAME TO human")
    _ = try undo(changed...changed, in: world)
    #expect(try recordedRows(of: world.path)["human"]?.first == "1,'Ann',30")
  }

  @Test("Rows from before a column was added are inserted and deleted again with its default.")
  func undoBeforeNewColumn() throws {
    let world = try AdoptedWorld(shop)
    try world.run("DELETE FROM person WHERE id = 2")
    let deleted = try last(world)
    try world.run("INSERT INTO person VALUES (9, 'Flo', 1), (10, 'Gil', 2)")
    let inserted = try last(world)
    try world.run("ALTER TABLE person ADD COLUMN mail DEFAULT 'none'")
    #expect(try last(world) == inserted + 1)
    try world.run("ALTER TABLE person ADD COLUMN phone")
    #expect(try last(world) == inserted + 2)
    _ = try undo(deleted...deleted, in: world)
    let restored = try recordedRows(of: world.path)["person"] ?? []
    #expect(restored.contains("2,'Bob',NULL,'none',NULL"), "\(restored)")
    try world.run("UPDATE person SET mail = 'gil@example.org' WHERE id = 10")
    let message = try refusal(inserted, in: world)
    #expect(message.contains("person 10.mail was changed: it was "), "\(message)")
    _ = try undo(last(world)...last(world), in: world)
    _ = try undo(inserted...inserted, in: world)
    let rows = try recordedRows(of: world.path)["person"]
    #expect(rows?.map { $0.prefix(2) } == ["1,", "2,", "3,"], "\(rows ?? [])")
    try readableStore(world.path).check { Issue.record("\($0)") }
  }

  @Test("Transactions before tables were recorded again can't be undone.")
  func recordedAgain() throws {
    let world = try AdoptedWorld(shop)
    try world.run("UPDATE person SET age = 31 WHERE id = 1")
    let changed = try last(world)
    try world.run(
      """
      PRAGMA legacy_alter_table = ON;
      CREATE TABLE rebuilt AS SELECT * FROM person; DROP TABLE person;
      ALTER TABLE rebuilt RENAME TO person
      """
    )
    #expect(try last(world) > changed)
    do {
      _ = try undo(changed...changed, in: world)
      Issue.record("It was undone.")
    } catch let error as StoreError {
      #expect(error.code == .irreversible)
      #expect(error.message.contains("recorded all rows of this table again"), "\(error.message)")
    }
  }

  @Test("The undo of a transaction without changes records nothing.")
  func nothing() throws {
    let world = try AdoptedWorld(shop)
    let store = try store(world)
    try world.run("UPDATE person SET age = 31 WHERE id = 1")
    #expect(try store.undo(1...1, author: Author(name: "Zoe")) == nil)
    #expect(try world.history().map(\.operation) == ["adopt", "foreign"])
  }

  @Test("The undo of a change in a full-text table rebuilds its index.")
  func fullText() throws {
    let world = try AdoptedWorld(
      "CREATE VIRTUAL TABLE note USING fts5(text); INSERT INTO note VALUES ('alpha beta')"
    )
    try world.run("UPDATE note SET text = 'gamma' WHERE rowid = 1")
    let changed = try last(world)
    _ = try undo(changed...changed, in: world)
    let found = try output(
      of: "sqlite3",
      [world.path, "SELECT count(*) FROM note('alpha'); SELECT count(*) FROM note('gamma')"]
    )
    #expect(found == "1\n0\n")
  }
}
