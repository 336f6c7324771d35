import Foundation
import Store
import TestSupport
import Testing

@Suite("Changes that SQLite makes inside a statement")
struct CaptureOrderTests {
  /// A new replica must have the rows of the file, and the file's history must agree with the rows.
  private func check(_ world: AdoptedWorld) throws {
    let rows = try recordedRows(of: world.path)
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == rows)
    var findings = 0
    _ = try Store.open(.file(URL(fileURLWithPath: world.path))).check { _ in findings += 1 }
    #expect(findings == 0)
  }

  @Test("If a foreign key changes an updated row again, history ends with the row's last values.")
  func cascadeToTheSameRow() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE category(id INTEGER PRIMARY KEY,
        parent INTEGER REFERENCES category(id) ON UPDATE CASCADE);
      CREATE TABLE code(id INTEGER PRIMARY KEY, code TEXT UNIQUE,
        alias TEXT REFERENCES code(code) ON UPDATE SET NULL);
      INSERT INTO category VALUES (3, 3), (4, 3);
      INSERT INTO code VALUES (1, 'a', 'a'), (2, 'b', 'a');
      """
    )
    try world.run(
      """
      PRAGMA foreign_keys = ON;
      UPDATE OR IGNORE category SET id = 4 WHERE id = 3;
      UPDATE category SET id = 0 WHERE id = 3;
      UPDATE code SET code = 'c' WHERE id = 1;
      """
    )
    let transaction = try #require(try world.changes().first)
    #expect(
      Set(transaction.changes) == [
        "delete category 3", "insert category 0", "update category 4", "update code 1",
        "update code 2",
      ]
    )
    try check(world)
  }

  @Test(
    "An update that replaces a row and cascades to itself keeps the order of all three changes.",
    arguments: ["ON", "OFF"]
  )
  func replacingMoves(_ recursive: String) throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE node(id INTEGER PRIMARY KEY,
        up INTEGER REFERENCES node ON UPDATE CASCADE ON DELETE SET NULL, v);
      INSERT INTO node VALUES (3, 3, 'x'), (4, 35, 'y'), (5, 10, 'z'), (10, 10, 'old'), (28, 28, 'w');
      """
    )
    try world.run(
      """
      PRAGMA recursive_triggers = \(recursive); PRAGMA foreign_keys = ON;
      UPDATE OR REPLACE node SET id = 10 WHERE id IN (3, 28);
      UPDATE node SET v = 'later' WHERE id = 10;
      """
    )
    #expect(try recordedRows(of: world.path)["node"]?.contains { $0.hasPrefix("10,") } == true)
    try check(world)
  }

  @Test("Updates that move many rows, each with a cascade to itself, keep their order.")
  func manyMoves() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE node(id INTEGER PRIMARY KEY, up INTEGER REFERENCES node ON UPDATE CASCADE, v);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO node SELECT i, max(1, i - i % 3), i FROM n;
      """
    )
    try world.run(
      """
      PRAGMA foreign_keys = ON;
      UPDATE node SET id = id + 1000;
      UPDATE node SET id = id - 1000, v = 'back' WHERE id % 2;
      UPDATE OR REPLACE node SET id = id - 1 WHERE id > 1100;
      """
    )
    try check(world)
  }

  @Test("Changes by newer triggers of the program follow the changes that caused them.")
  func newerTrigger() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, v, n INT DEFAULT 0);
      CREATE TABLE other(a PRIMARY KEY NOT NULL);
      """
    )
    try world.exportLogs()
    try world.run(
      """
      CREATE TRIGGER counting AFTER UPDATE OF v ON t BEGIN
        UPDATE t SET n = n + 1 WHERE id = NEW.id; END;
      CREATE TRIGGER filling AFTER INSERT ON t BEGIN
        UPDATE t SET v = 'filled' WHERE id = NEW.id AND v IS NULL; END;
      INSERT INTO t(id) VALUES (1), (2);
      UPDATE t SET v = 'x' WHERE id = 1;
      INSERT INTO other VALUES ('captured');
      """
    )
    let changes = try world.changes().filter { $0.operation == "foreign" }.map(\.changes)
    #expect(
      changes == [
        ["insert t 1", "insert t 2"], ["update t 1", #"insert other ["text:captured"]"#],
      ]
    )
    try check(world)
    try world.run("INSERT INTO t(id) VALUES (3); UPDATE t SET v = 'y'")
    try check(world)
  }

  @Test("Temporary triggers of a connection lose no change and no value.")
  func temporaryTriggers() throws {
    let world = try AdoptedWorld("CREATE TABLE p(id INTEGER PRIMARY KEY, n INT, o INT)")
    try world.run(
      """
      CREATE TEMP TRIGGER g AFTER INSERT ON p BEGIN UPDATE p SET o = 7 WHERE id = NEW.id; END;
      CREATE TEMP TRIGGER h AFTER UPDATE OF n ON p BEGIN UPDATE p SET o = 0 WHERE id = NEW.id; END;
      INSERT INTO p VALUES (1, 1, NULL), (2, 2, NULL);
      UPDATE p SET n = 2, o = 5 WHERE id = 1;
      DELETE FROM p WHERE id = 2;
      """
    )
    #expect(
      try world.changes().map(\.changes) == [
        ["insert p 1", "insert p 2"], ["update p 1", "delete p 2"],
      ]
    )
    try check(world)
  }

  @Test("A row that a trigger renames back was not replaced.")
  func renamedBack() throws {
    let world = try AdoptedWorld("CREATE TABLE v(name TEXT NOT NULL PRIMARY KEY)")
    try world.run(
      """
      CREATE TEMP TRIGGER i AFTER INSERT ON v BEGIN
        UPDATE OR IGNORE v SET name = 'again' WHERE rowid = NEW.rowid; END;
      CREATE TEMP TRIGGER u AFTER UPDATE OF name ON v BEGIN
        UPDATE OR IGNORE v SET name = 'again' WHERE rowid = NEW.rowid; END;
      INSERT INTO v VALUES ('10');
      INSERT INTO v VALUES ('w1');
      UPDATE v SET name = '10' WHERE name > 'a';
      """
    )
    try check(world)
    #expect(try world.changes().allSatisfy { $0.operation == "foreign" })
  }

  @Test("Rows that a temporary trigger moves to one key, each in place of the row before it, fit.")
  func replacing() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE friend(a INT, b INT, PRIMARY KEY(a, b));
      INSERT INTO friend VALUES (NULL, 'again'), (26, 'again'), (NULL, 'again'), (22, 'again');
      """
    )
    try world.run(
      """
      CREATE TEMP TRIGGER again AFTER UPDATE OF a ON friend BEGIN
        UPDATE OR IGNORE friend SET b = 'again' WHERE rowid = NEW.rowid; END;
      UPDATE OR REPLACE friend SET a = 17 WHERE b > 1;
      """
    )
    #expect(try world.changes().allSatisfy { $0.operation == "foreign" })
    try check(world)
  }
}
