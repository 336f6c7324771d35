import Adoption
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("A program that changes the tables of an adopted file")
struct SchemaChangeTests {
  private let start = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INT);
    CREATE TABLE other(id INTEGER PRIMARY KEY, v TEXT);
    INSERT INTO person VALUES (1, 'Ann', 30);
    INSERT INTO other VALUES (1, 'kept');
    """

  private func check(_ world: AdoptedWorld, _ name: String) throws {
    try world.exportLogs()
    let replica = try world.restore(name)
    #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
  }

  @Test("Of an added column, only values that differ from its default are recorded.")
  func addedColumn() throws {
    let world = try AdoptedWorld(start)
    try world.exportLogs()
    _ = try world.restore("replica.db")
    try world.run("ALTER TABLE person ADD COLUMN mail TEXT DEFAULT 'none'")
    try world.run(
      """
      UPDATE person SET mail = 'a@b' WHERE id = 1; UPDATE other SET v = 'changed';
      """
    )
    let changes = try world.changes()
    #expect(changes.map(\.operation) == ["foreign", "difference", "difference"])
    #expect(changes.dropFirst().map(\.changes) == [["update person 1"], []])
    try check(world, "replica.db")
    try world.run("UPDATE person SET mail = 'c@d'")
    try check(world, "replica.db")
    try check(world, "new.db")
  }

  @Test("A first export does not leave out earlier transactions without the flag for a new folder.")
  func lateExport() throws {
    let world = try AdoptedWorld(start)
    try world.run("UPDATE other SET v = 'changed'")
    #expect(try world.changes().count == 1)
    try world.run(
      "CREATE TABLE rebuilt AS SELECT * FROM person; DROP TABLE person;"
        + " ALTER TABLE rebuilt RENAME TO person"
    )
    #expect(try world.changes().map(\.operation) == ["foreign", "difference"])
    do {
      try world.exportLogs()
      Issue.record("The export left transactions out.")
    } catch let error as PipelineError {
      #expect(error.code == .historyExpired)
      #expect("\(error)".contains("Transactions 1 to 2 of "), "\(error)")
    }
    #expect(try world.logs.stores().isEmpty)
    var request = ExportRequest(store: world.path, logs: world.logs)
    request.startsNewFolder = true
    let late = try export(request).notices.map(\.message)
    #expect(late.contains { $0.hasPrefix("Transactions 1 to 3 of ") }, "\(late)")
    // The marker of an adoption has no changes that could be left out.
    let first = try AdoptedWorld(start).exportLogs().notices.map(\.message)
    #expect(!first.contains { $0.hasPrefix("Transaction") }, "\(first)")
  }

  @Test("Renamed tables and columns, new tables and dropped ones reach a replica.")
  func renaming() throws {
    let world = try AdoptedWorld(start)
    try check(world, "replica.db")
    try world.run(
      """
      ALTER TABLE person RENAME COLUMN name TO called;
      ALTER TABLE other RENAME TO another;
      CREATE TABLE fresh(a PRIMARY KEY, b) WITHOUT ROWID;
      INSERT INTO person VALUES (2, 'Bob', 1);
      INSERT INTO fresh VALUES (1, 2);
      CREATE INDEX fresh_b ON fresh(b);
      """
    )
    try check(world, "replica.db")
    try world.run("DROP TABLE another; UPDATE fresh SET b = 3; DROP INDEX fresh_b")
    try check(world, "replica.db")
    try check(world, "new.db")
  }

  @Test("A table that is rebuilt without triggers is recorded again, in a transaction of its own.")
  func rebuilding() throws {
    let world = try AdoptedWorld(start)
    try check(world, "replica.db")
    try world.run(
      """
      BEGIN;
      CREATE TABLE rebuilt(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      INSERT INTO rebuilt SELECT id, name FROM person;
      DROP TABLE person;
      ALTER TABLE rebuilt RENAME TO person;
      UPDATE person SET name = 'not captured';
      COMMIT;
      """
    )
    let last = try #require(try world.changes().last)
    #expect(last.operation == "difference")
    #expect(last.changes == ["insert person 1"])
    try check(world, "replica.db")
  }

  @Test("VACUUM changes no row of a table whose rows only rowids identify.")
  func vacuum() throws {
    let world = try AdoptedWorld("CREATE TABLE loose(a); INSERT INTO loose VALUES (1), (2), (3)")
    try check(world, "replica.db")
    try world.run("DELETE FROM loose WHERE a = 1")
    try world.run("VACUUM")
    try check(world, "replica.db")
    #expect(try world.changes().map(\.changes) == [["delete loose 1"]])
  }

  @Test("A row that was not replaced is not recorded as deleted, also after a column was renamed.")
  func renamedConflict() throws {
    let world = try AdoptedWorld(
      start + """
        CREATE TABLE badge(code TEXT PRIMARY KEY NOT NULL, number INT UNIQUE);
        INSERT INTO badge VALUES ('a', 3), ('b', 4);
        """
    )
    try world.run(
      """
      ALTER TABLE badge RENAME COLUMN number TO digits;
      INSERT OR IGNORE INTO badge VALUES ('c', 3);
      INSERT OR REPLACE INTO badge VALUES ('d', 4);
      """
    )
    #expect(
      try world.changes().map { Set($0.changes) } == [
        [#"delete badge ["text:b"]"#, #"insert badge ["text:d"]"#],
        [],
      ]
    )
    try check(world, "replica.db")
  }

  @Test("A replica keeps the rows of full-text tables when another table changes.")
  func fullText() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, title, body);
      CREATE VIRTUAL TABLE page USING fts5(url, text);
      CREATE VIRTUAL TABLE search USING fts5(title, content='note', content_rowid='id');
      INSERT INTO note VALUES (1, 'first title', 'body');
      INSERT INTO page VALUES ('a', 'alpha'), ('b', 'beta');
      """
    )
    try check(world, "replica.db")
    try world.run("CREATE TABLE other(a); INSERT INTO other VALUES (1)")
    try check(world, "replica.db")
    let find = "SELECT count(*) FROM page('alpha'); SELECT count(*) FROM search('first')"
    #expect(try output(of: "sqlite3", [world.file("replica.db"), find]) == "1\n1\n")
    // After this statement the full-text table can't be read in the program's file either.
    try world.run("ALTER TABLE note RENAME COLUMN title TO heading")
    try check(world, "replica.db")
    try world.run("UPDATE note SET heading = 'second'; DELETE FROM page WHERE url = 'a'")
    try check(world, "replica.db")
    try check(world, "new.db")
  }

  @Test("A suspended migration can drop a column, and records only what it changed.")
  func suspension() throws {
    let world = try AdoptedWorld(start)
    try check(world, "replica.db")
    #expect(throws: SQLiteError.self) { try world.run("ALTER TABLE person DROP COLUMN age") }
    try Store.suspend(world.path) { try world.run("ALTER TABLE person DROP COLUMN age") }
    let changes = try world.changes()
    #expect(changes.map(\.operation) == ["migration", "migration"])
    #expect(changes.map(\.changes) == [["update person 1"], []])
    try world.run("INSERT INTO person VALUES (2, 'captured again')")
    #expect(try world.changes().last?.changes == ["insert person 2"])
    try check(world, "replica.db")
  }

  @Test("A migration that rebuilds tables records only the rows that it changed.")
  func rebuildingMigration() throws {
    let world = try AdoptedWorld(
      start + """
        INSERT INTO person VALUES (2, 'Bob', NULL), (3, 'Cy', 5), (4, 'Di', 6);
        CREATE TABLE log(id INTEGER PRIMARY KEY, name); CREATE TABLE loose(a);
        INSERT INTO loose VALUES (1), (2);
        """
    )
    let adopted = try recordedRows(of: world.path)
    try world.run("UPDATE person SET age = 31 WHERE id = 1")
    #expect(try world.changes().count == 1)
    try Store.suspend(world.path) {
      try world.run(
        """
        BEGIN;
        CREATE TABLE "new__person" (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
          age INT NOT NULL CHECK (age > 0), state TEXT NOT NULL, n REAL NOT NULL DEFAULT -1);
        INSERT INTO "new__person" SELECT id, name, coalesce(age, 99), 'active', -1 FROM person;
        DROP TABLE person; ALTER TABLE "new__person" RENAME TO person;
        UPDATE person SET name = 'swap' WHERE id = 3; UPDATE person SET name = 'Cy' WHERE id = 4;
        UPDATE person SET name = 'Di' WHERE id = 3;
        ALTER TABLE other RENAME TO another;
        INSERT INTO log VALUES (1, 'migrated');
        COMMIT;
        """
      )
    }
    #expect(
      try world.changes().map(\.changes) == [
        ["update person 1"],
        ["update person 1", "update person 2", "update person 3", "update person 4"],
        ["insert log 1"],
      ]
    )
    try check(world, "replica.db")
    // The logs begin with the adoption, and have each transaction.
    let past = try world.restore("past.db", until: .transaction(1))
    #expect(try recordedRows(of: past) == adopted)
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    try readableStore(world.path).check { Issue.record("\($0)") }
  }

  @Test("A new view changes no row, also if a table has no key, and moves no beginning of logs.")
  func newView() throws {
    let world = try AdoptedWorld("CREATE TABLE loose(a); INSERT INTO loose VALUES (1), (2), (3)")
    try world.run("DELETE FROM loose WHERE a = 1")
    #expect(try world.changes().map(\.changes) == [["delete loose 1"]])
    try world.run("CREATE VIEW low AS SELECT a FROM loose WHERE a < 3")
    #expect(try world.changes().map(\.changes) == [["delete loose 1"], []])
    #expect(try readableStore(world.path).read { try $0.adoptedStart() } == 1)
    try check(world, "replica.db")
    try world.run("VACUUM")
    try world.run("INSERT INTO loose VALUES (4); CREATE VIEW high AS SELECT a FROM loose")
    #expect(try world.changes().map(\.changes) == [["delete loose 1"], [], ["insert loose 4"], []])
    try check(world, "replica.db")
  }

  @Test("A migration that fails has its triggers restored, and its changes recorded.")
  func failedMigration() throws {
    struct Failure: Error {}
    let world = try AdoptedWorld(start)
    #expect(throws: Failure.self) {
      try Store.suspend(world.path) {
        try world.run("UPDATE other SET v = 'by the migration'")
        throw Failure()
      }
    }
    #expect(try world.changes().map(\.changes) == [["update other 1"]])
    try world.run("UPDATE other SET v = 'captured'")
    #expect(try world.changes().last?.changes == ["update other 1"])
    try check(world, "replica.db")
  }
}
