import Pipeline
import Store
import Testing

@Suite("Rows that REPLACE removes from an adopted file")
struct ReplacedRowTests {
  /// The tables, and a statement that removes the row 1 of the table t.
  private static let replacements: [(table: String, statement: String)] =
    ["a, b", "a TEXT PRIMARY KEY, b", "a TEXT PRIMARY KEY NOT NULL, b", "a UNIQUE, b"].flatMap {
      [
        ("CREATE TABLE t(\($0))", "INSERT OR REPLACE INTO t(rowid, a, b) VALUES (1, 'x', 0)"),
        ("CREATE TABLE t(\($0))", "UPDATE OR REPLACE t SET oid = 1 WHERE _rowid_ = 2"),
      ]
    } + [
      (
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b, g AS (abs(b)) STORED UNIQUE)",
        "UPDATE OR REPLACE t SET b = -5 WHERE a = 2"
      ),
      (
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b, g AS (abs(b)) UNIQUE ON CONFLICT REPLACE)",
        "UPDATE t SET b = -5 WHERE a = 2"
      ),
      (
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b, g AS (abs(b))); CREATE UNIQUE INDEX i ON t(g)",
        "INSERT OR REPLACE INTO t(a, b) VALUES (7, -5)"
      ),
    ]

  @Test("A row is in history whatever the conflict was.", arguments: Self.replacements)
  func replaced(_ replacement: (table: String, statement: String)) throws {
    let world = try AdoptedWorld(
      replacement.table + "; INSERT INTO t(a, b) VALUES (1, 5), (2, 6), (3, 7)"
    )
    let first = try recordedRows(of: world.path)
    try world.exportLogs()
    try world.run(replacement.statement)
    let last = try recordedRows(of: world.path)
    #expect(last["t"]?.contains { $0.hasPrefix("1,5") || $0.hasPrefix("'1',5") } == false)
    try readableStore(world.path).check { Issue.record("\($0)") }
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("first.db", until: .transaction(1))) == first)
    #expect(try recordedRows(of: world.restore("last.db")) == last)
  }
}
