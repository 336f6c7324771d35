import Adoption
import Format
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@Suite("An adopted file with forged contents")
struct ForgedFileTests {
  @Test("Numbers of captured rows and marks that no trigger writes do not stop the program.")
  func numbers() throws {
    for value in ["'x'", "-9223372036854775808", "9223372036854775807", "NULL", "x'00'", "1.5"] {
      for change in [
        "UPDATE travelog_bracket SET clock = \(value) WHERE id = 2",
        "UPDATE travelog_bracket SET time = \(value), series = \(value)",
        "UPDATE travelog_rows_0 SET clock = \(value)", "UPDATE travelog_rows_0 SET kind = \(value)",
        "UPDATE travelog_rows_0 SET time = \(value), series = \(value), a0 = \(value)",
        "UPDATE travelog_transaction SET details = \(value), time = \(value)",
        "UPDATE travelog_catalog SET value = \(value) WHERE key = 'schema_version'",
      ] {
        let world = try AdoptedWorld("CREATE TABLE t(id INTEGER PRIMARY KEY, v UNIQUE)")
        try world.run(
          """
          UPDATE travelog_context SET author = 'a';
          INSERT INTO t VALUES (1, 2);
          UPDATE travelog_context SET author = NULL;
          INSERT OR REPLACE INTO t VALUES (2, 2);
          """
        )
        do {
          try world.run(change)
          _ = try world.history()
        } catch is StoreError {
          // A refusal is one of the two right answers.
        } catch is SQLiteError {
          // So is a constraint of the table.
        }
      }
    }
  }

  @Test("A captured row with an id that no trigger gives does not stop the program.")
  func ids() throws {
    for id in [Int64.min, -1, 0, .max] {
      for clock in [Int64.min, 0, 1, 2, 1_000_000, .max] {
        let world = try AdoptedWorld("CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
        try world.run("INSERT INTO t VALUES (1, 2)")
        try world.run(
          """
          INSERT INTO travelog_rows_0 SELECT \(id), \(clock), 1, 1.0, 1, v0, v1
            FROM (SELECT 7 AS v0, 8 AS v1)
          """
        )
        for _ in 1...2 {
          do { _ = try world.history() } catch is StoreError {
            // A refusal is one of the two right answers.
          } catch is SQLiteError {
            // So is a constraint of the table.
          }
        }
      }
    }
  }

  @Test("A definition that also runs a query creates nothing.")
  func queryInDefinition() {
    for sql in [
      "CREATE TABLE t AS SELECT 1", "create temp table main . t as WITH a AS (SELECT 1) SELECT 1",
      "CREATE TABLE IF NOT EXISTS \"t\" /* ( */ AS VALUES (1)", "DROP TABLE t", "",
    ] { #expect(!isCreation(sql), "\(sql)") }
    for sql in [
      "CREATE TABLE \"as\" (a)", "CREATE TABLE t(a AS (1))", "CREATE VIEW v AS SELECT 1",
      "CREATE TRIGGER table_ AFTER INSERT ON t BEGIN SELECT 1 AS a; END",
      "CREATE VIRTUAL TABLE t USING fts5(a)", "CREATE INDEX i ON \"table\" (a)",
    ] { #expect(isCreation(sql), "\(sql)") }
  }

  @Test("A prefix that is not a name is not taken from the name of a catalog.")
  func prefix() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE "a; DROP TABLE t; --catalog"("key" TEXT PRIMARY KEY, "value");
      INSERT INTO "a; DROP TABLE t; --catalog" VALUES ('adopted', 'a; DROP TABLE t; --');
      CREATE TABLE t(a);
      """,
      isAdopted: false
    )
    #expect(throws: StoreError.self) { try world.history() }
    #expect(try recordedRows(of: world.path)["t"] == [])
  }

  @Test("The error about a captured row of an unknown kind names the file and the kind.")
  func unknownKind() throws {
    let world = try AdoptedWorld("CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
    try world.run("INSERT INTO t VALUES (1, 2)")
    try world.run("UPDATE travelog_rows_0 SET event = 99")
    let error = #expect(throws: StoreError.self) { try world.history() }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(world.path) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("99") == true, "\(error?.message ?? "")")
  }
}
