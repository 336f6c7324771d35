import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Connections")
struct ConnectionTests {
  @Test("A database in memory keeps what is written to it.")
  func memory() throws {
    let connection = try Connection(path: "", mode: .memory)
    try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
    #expect(connection.changes == 2)
    #expect(connection.path == ":memory:")
    let sum = try connection.cached("SELECT sum(x) FROM t")
    #expect(try sum.step())
    #expect(sum.int64(at: 0) == 3)
  }

  @Test("Two wrappers of one database see the same rows and have their own statements.")
  func sharing() throws {
    let first = try Connection(path: "", mode: .memory)
    try first.execute("CREATE TABLE t (x); INSERT INTO t VALUES (7)")
    let second = Connection(sharing: first)
    let a = try first.cached("SELECT x FROM t")
    let b = try second.cached("SELECT x FROM t")
    #expect(a !== b)
    #expect(try a.step())
    #expect(try b.step())
    #expect(b.int64(at: 0) == 7)
  }

  @Test("A cached statement is reused after a reset and without bindings.")
  func cached() throws {
    let connection = try Connection(path: "", mode: .memory)
    let first = try connection.cached("SELECT ?1")
    try first.bind(1, Int64(5))
    #expect(try first.step())
    let second = try connection.cached("SELECT ?1")
    #expect(first === second)
    #expect(try second.step())
    #expect(second.isNull(at: 0))
    connection.removeCachedStatements()
    #expect(try connection.cached("SELECT ?1") !== first)
  }

  @Test("A statement stays valid after its connection is released.")
  func outliving() throws {
    var connection: Connection? = try Connection(path: "", mode: .memory)
    let statement = try #require(try connection?.prepare("SELECT 4"))
    connection = nil
    #expect(try statement.step())
    #expect(statement.int64(at: 0) == 4)
  }

  @Test("A read-only connection does not create a file, and refuses to write.")
  func readOnly() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("a.db").path
      #expect(throws: SQLiteError.self) { try Connection(path: path, mode: .readOnly) }
      #expect(throws: SQLiteError.self) { try Connection(path: path, mode: .readWrite) }
      try Connection(path: path, mode: .readWriteCreate).execute("CREATE TABLE t (x)")
      let connection = try Connection(path: path, mode: .readOnly)
      #expect(connection.isReadOnly)
      do {
        try connection.execute("INSERT INTO t VALUES (1)")
        Issue.record("a read-only connection wrote")
      } catch SQLiteError.readOnly {}
    }
  }

  @Test("An immutable connection opens a path with characters that have a meaning in URIs.")
  func immutable() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("a %41?#ü.db").path
      try Connection(path: path, mode: .readWriteCreate)
        .execute("PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (3)")
      let connection = try Connection(path: path, mode: .immutable)
      let statement = try connection.prepare("SELECT x FROM t")
      #expect(try statement.step())
      #expect(statement.int64(at: 0) == 3)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.count == 1)
    }
  }

  @Test("Two statements in one text are refused; blanks and a semicolon at the end are not.")
  func severalStatements() throws {
    let connection = try Connection(path: "", mode: .memory)
    #expect(throws: SQLiteError.self) { try connection.prepare("SELECT 1; SELECT 2") }
    #expect(throws: SQLiteError.self) { try connection.prepare("  -- nothing") }
    #expect(try connection.prepare("SELECT 1 ; \n").step())
  }

  @Test("Triggers and foreign keys are enabled and disabled for each connection.")
  func switches() throws {
    let connection = try Connection(path: "", mode: .memory)
    try connection.execute(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent(id));
      CREATE TABLE log (x);
      CREATE TRIGGER t AFTER INSERT ON parent BEGIN INSERT INTO log VALUES (1); END;
      """
    )
    try connection.setForeignKeys(enforced: false)
    try connection.execute("INSERT INTO child VALUES (1, 99); DELETE FROM child")
    try connection.setForeignKeys(enforced: true)
    do {
      try connection.execute("INSERT INTO child VALUES (1, 99)")
      Issue.record("a foreign key was not enforced")
    } catch SQLiteError.constraintForeignKey {}
    try connection.setTriggers(enabled: false)
    try connection.execute("INSERT INTO parent VALUES (1)")
    try connection.setTriggers(enabled: true)
    try connection.execute("INSERT INTO parent VALUES (2)")
    let count = try connection.prepare("SELECT count(*) FROM log")
    #expect(try count.step())
    #expect(count.int64(at: 0) == 1)
  }

  @Test("A connection knows whether a transaction is open.")
  func transactions() throws {
    let connection = try Connection(path: "", mode: .memory)
    #expect(!connection.isInTransaction)
    try connection.execute("BEGIN")
    #expect(connection.isInTransaction)
    try connection.execute("ROLLBACK")
    #expect(!connection.isInTransaction)
  }

  @Test("An error has the code, the message, the statement and the file in one line.")
  func errorText() throws {
    let connection = try Connection(path: "", mode: .memory)
    try connection.execute("CREATE TABLE t (x UNIQUE); INSERT INTO t VALUES (1)")
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute("INSERT INTO t VALUES (1)")
    }
    #expect(error?.code == SQLiteError.constraintUnique)
    #expect(error?.primaryCode == SQLiteError.constraint)
    #expect(
      error?.description
        == "SQLite error 2067: UNIQUE constraint failed: t.x"
        + " - while executing `INSERT INTO t VALUES (1)` (:memory:)"
    )
  }

  @Test("A code is a pattern, and a primary code matches its extended codes.")
  func patterns() {
    let error = SQLiteError(code: SQLiteError.constraintUnique, message: "", path: "")
    #expect(SQLiteError.constraint ~= error)
    #expect(SQLiteError.constraintUnique ~= error)
    #expect(!(SQLiteError.constraintNotNull ~= error))
    #expect(!(SQLiteError.busy ~= error))
    #expect(!(SQLiteError.busy ~= CancellationError()))
  }
}
