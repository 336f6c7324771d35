import SQLite
import Testing

@testable import Adoption

@Suite("The tables of a database of another program")
struct TableReadingTests {
  /// The tables that these statements create, by name.
  private func tables(_ sql: String) throws -> [String: TableDescription] {
    let connection = try Connection(path: "", mode: .memory)
    try connection.execute(sql)
    let tables = try readTables(connection)
    return Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
  }

  @Test("An INTEGER PRIMARY KEY is the key, except in the two forms that are not the rowid.")
  func integerKeys() throws {
    let tables = try tables(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, b); CREATE TABLE b(x, k INTEGER, PRIMARY KEY(k));
      CREATE TABLE c(id INTEGER PRIMARY KEY DESC); CREATE TABLE d(id INT PRIMARY KEY NOT NULL);
      CREATE TABLE e(id INTEGER PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE f(id INTEGER PRIMARY KEY AUTOINCREMENT);
      """
    )
    #expect(tables.count == 6, "sqlite_sequence belongs to SQLite")
    #expect(tables["a"]?.recording == .triggers(.integer(column: "id")))
    #expect(tables["b"]?.recording == .triggers(.integer(column: "k")))
    #expect(tables["c"]?.recording == .triggers(.columns(["id"], rowid: "rowid")))
    #expect(tables["d"]?.recording == .triggers(.columns(["id"], rowid: nil)))
    #expect(tables["e"]?.recording == .triggers(.columns(["id"], rowid: nil)))
    #expect(tables["f"]?.recording == .triggers(.integer(column: "id")))
  }

  @Test("A composite key has its columns in the order of the key, not of the table.")
  func compositeKeys() throws {
    let tables = try tables(
      """
      CREATE TABLE a(x, y, z, PRIMARY KEY(z, x)); CREATE TABLE b(x, y, PRIMARY KEY(y, x)) WITHOUT ROWID;
      CREATE TABLE c(x); CREATE TABLE d(rowid, OID); CREATE TABLE e(rowid, oid, _rowid_);
      CREATE TABLE f(rowid NOT NULL PRIMARY KEY, oid, _rowid_);
      """
    )
    #expect(tables["a"]?.recording == .triggers(.columns(["z", "x"], rowid: "rowid")))
    #expect(tables["b"]?.recording == .triggers(.columns(["y", "x"], rowid: nil)))
    #expect(tables["c"]?.recording == .triggers(.rowid("rowid")))
    #expect(tables["d"]?.recording == .triggers(.rowid("_rowid_")))
    #expect(tables["e"]?.recording == .refused(.hiddenRowid))
    #expect(tables["f"]?.recording == .triggers(.columns(["rowid"], rowid: nil)))
  }

  @Test("Unusual names, generated columns, and 300 columns are read as they are.")
  func columns() throws {
    let many = (0..<300).map { "c\($0) TEXT" }.joined(separator: ",")
    let tables = try tables(
      """
      CREATE TABLE "select ""x'"("from" PRIMARY KEY, "a.b" VARCHAR(10) NOT NULL COLLATE NOCASE,
        v AS ("a.b" || 1), s INTEGER GENERATED ALWAYS AS (1) STORED);
      CREATE TABLE many(\(many)); CREATE VIEW v AS SELECT 1; CREATE TABLE "\u{e9}\n"(a);
      CREATE TABLE sqliteX(a);
      """
    )
    #expect(Set(tables.keys) == ["select \"x'", "many", "\u{e9}\n", "sqliteX"])
    let columns = try #require(tables["select \"x'"]?.columns)
    #expect(columns.map(\.name) == ["from", "a.b", "v", "s"])
    #expect(columns.map(\.declaredType) == ["", "VARCHAR(10)", "", "INTEGER"])
    #expect(columns.map(\.isRequired) == [false, true, false, false])
    #expect(columns.map(\.isGenerated) == [false, false, true, true])
    #expect(tables["many"]?.columns.count == 300)
  }

  @Test("Unique indexes have columns, collations and expressions; other indexes are left out.")
  func uniqueIndexes() throws {
    let tables = try tables(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT UNIQUE COLLATE NOCASE, b);
      CREATE INDEX plain ON t(b); CREATE UNIQUE INDEX part ON t(b, lower(a)) WHERE b > 0;
      """
    )
    let indexes = try #require(tables["t"]?.uniqueIndexes)
    #expect(
      indexes == [
        UniqueIndex(
          name: "part",
          parts: [
            IndexPart(column: "b", collation: "BINARY"),
            IndexPart(column: nil, collation: "BINARY"),
          ],
          isPartial: true,
          sql: "CREATE UNIQUE INDEX part ON t(b, lower(a)) WHERE b > 0"
        ),
        UniqueIndex(
          name: "sqlite_autoindex_t_1",
          parts: [IndexPart(column: "a", collation: "NOCASE")],
          isPartial: false,
          sql: nil
        ),
      ]
    )
  }

  @Test("A collation of SQLite is known in any spelling, and another one is refused.")
  func collations() throws {
    let tables = try tables(
      """
      CREATE TABLE a(k text primary key collate nocase, b text collate Rtrim);
      CREATE TABLE b(x, y); CREATE UNIQUE INDEX i ON b(x collate "noCase", y collate binary);
      """
    )
    #expect(tables["a"]?.recording == .triggers(.columns(["k"], rowid: "rowid")))
    #expect(tables["b"]?.recording == .triggers(.rowid("rowid")))
  }

  @Test("An FTS5 table is recorded through the table that has its content.")
  func fullText() throws {
    let tables = try tables(
      """
      CREATE TABLE Notes(id INTEGER PRIMARY KEY, body); CREATE VIEW lines AS SELECT body FROM Notes;
      CREATE VIRTUAL TABLE "own using" USING fts5(content, body);
      CREATE VIRTUAL TABLE ext USING /* , content='' */ FTS5(body, content = 'notes', content_rowid=id);
      CREATE VIRTUAL TABLE less USING fts5(body, content='');
      CREATE VIRTUAL TABLE seen USING fts5(body, content=lines);
      """
    )
    #expect(tables["own using"]?.recording == .through("own using_content"))
    #expect(tables["own using_content"]?.recording == .triggers(.integer(column: "id")))
    #expect(tables["own using_data"]?.recording == .part(of: "own using"))
    #expect(tables["ext"]?.recording == .through("Notes"))
    #expect(tables["ext_idx"]?.recording == .part(of: "ext"))
    #expect(tables["less"]?.recording == .refused(.contentless))
    #expect(tables["less_docsize"]?.recording == .part(of: "less"))
    #expect(tables["seen"]?.recording == .refused(.externalContent("lines")))
  }

  @Test("Other virtual tables are refused by the name of their module, and the rest is recorded.")
  func otherModules() throws {
    let tables = try tables(
      """
      CREATE VIRTUAL TABLE box USING rtree(id, low, high); CREATE VIRTUAL TABLE old USING fts4(x);
      CREATE TABLE box_notes(id INTEGER PRIMARY KEY);
      """
    )
    #expect(tables["box"]?.recording == .refused(.module("rtree")))
    #expect(tables["box_node"]?.recording == .part(of: "box"))
    #expect(tables["old"]?.recording == .refused(.module("fts4")))
    #expect(tables["old_content"]?.recording == .part(of: "old"))
    #expect(tables["box_notes"]?.recording == .triggers(.integer(column: "id")))
  }
}
