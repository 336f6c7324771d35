import Adoption
import Testing

@Suite("Definitions of tables without NOT NULL and CHECK")
struct RelaxedDefinitionTests {
  @Test("Only NOT NULL and the contents of CHECK are removed, and everything else keeps its text.")
  func texts() {
    for (sql, relaxed) in [
      ("CREATE TABLE t(a, b)", "CREATE TABLE t(a, b)"),
      ("CREATE TABLE t(a NOT NULL, b)", "CREATE TABLE t(a NULL, b)"),
      (
        "CREATE TABLE t(a not /* x */ null ON CONFLICT IGNORE)",
        "CREATE TABLE t(a null ON CONFLICT IGNORE)"
      ),
      (
        "CREATE TABLE t(a CHECK (a > (1)) UNIQUE, check(f(')')))",
        "CREATE TABLE t(a CHECK (1) UNIQUE, CHECK (1))"
      ),
      ("CREATE TABLE t(\"NOT NULL\" DEFAULT 'NOT NULL', [check (x)] AS (a IS NOT NULL))", nil),
      ("CREATE TABLE \"check (\"(a DEFAULT (1 NOT NULL), -- NOT NULL\n b COLLATE NOCASE)", nil),
      ("CREATE TABLE t(a CHECK (a", "CREATE TABLE t(a CHECK (1)"), ("CREATE TABLE t(a NOT", nil),
      ("CREATE TABLE t(cannot NULL, nothing NULLABLE, notnull)", nil),
    ] as [(String, String?)] {
      #expect(relaxedDefinition(sql) == relaxed ?? sql)
    }
  }

  @Test("Only UNIQUE constraints are removed, with their columns and conflict clauses.")
  func withoutUnique() {
    for (sql, relaxed) in [
      ("CREATE TABLE t(a, \"unique\", 'unique' CHECK (a <> 'UNIQUE'))", nil),
      ("CREATE TABLE t(a TEXT UNIQUE, b)", "CREATE TABLE t(a TEXT CHECK (1), b)"),
      (
        "CREATE TABLE t(a unique on conflict replace not null)",
        "CREATE TABLE t(a CHECK (1) not null)"
      ),
      (
        "CREATE TABLE t(a, b, CONSTRAINT u UNIQUE /* x */ (a, b COLLATE NOCASE) ON CONFLICT IGNORE)",
        "CREATE TABLE t(a, b, CONSTRAINT u CHECK (1))"
      ),
      (
        "CREATE TABLE t(a, UNIQUE (a), PRIMARY KEY (a))",
        "CREATE TABLE t(a, CHECK (1), PRIMARY KEY (a))"
      ),
      ("CREATE TABLE t(a UNIQUE", "CREATE TABLE t(a CHECK (1)"),
    ] as [(String, String?)] {
      #expect(definitionWithoutUnique(sql) == relaxed ?? sql)
    }
  }
}
