import Foundation
import SQLite
import Testing

@Suite("Statements")
struct StatementTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: "", mode: .memory)
  }

  @Test(
    "Integers are read back as they were written.",
    arguments: [0, 1, -1, Int64.min, Int64.max]
  )
  func integers(value: Int64) throws {
    let statement = try connection.prepare("SELECT ?1")
    try statement.bind(1, value)
    #expect(try statement.step())
    #expect(statement.type(at: 0) == .integer)
    #expect(statement.int64(at: 0) == value)
  }

  @Test(
    "Fractions are read back bit by bit.",
    arguments: [
      0.0, -0.0, 0.1, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]
  )
  func reals(value: Double) throws {
    let statement = try connection.prepare("SELECT ?1")
    try statement.bind(1, value)
    #expect(try statement.step())
    #expect(statement.type(at: 0) == .real)
    #expect(statement.double(at: 0).bitPattern == value.bitPattern)
  }

  @Test("NaN becomes null, which is why no store passes it to SQLite.")
  func notANumber() throws {
    let statement = try connection.prepare("SELECT ?1")
    try statement.bind(1, Double.nan)
    #expect(try statement.step())
    #expect(statement.isNull(at: 0))
  }

  @Test(
    "Texts are read back as they were written, also empty ones and those with NUL.",
    arguments: [
      "", "a", "0123456789abcdef", "a\0b", "\0", "Größe 東京 🧳",
      String(repeating: "x", count: 300),
    ]
  )
  func texts(value: String) throws {
    let statement = try connection.prepare("SELECT ?1, ?2")
    try statement.bind(1, value)
    var copy = value
    try copy.withUTF8 {
      try statement.bind(2, borrowedText: UnsafeRawBufferPointer($0))
      #expect(try statement.step())
      for column in Int32(0)..<2 {
        #expect(statement.type(at: column) == .text)
        #expect(statement.string(at: column) == value)
        #expect(statement.withText(at: column) { $0.elementsEqual(value.utf8) })
      }
      statement.reset()
      statement.clearBindings()
    }
  }

  @Test(
    "Bytes are read back as they were written, and empty bytes are not null.",
    arguments: [Data(), Data([0]), Data([0xff, 0, 0xfe]), Data(repeating: 7, count: 100_000)]
  )
  func blobs(value: Data) throws {
    let statement = try connection.prepare("SELECT ?1, ?2")
    try statement.bind(1, value)
    try value.withUnsafeBytes {
      try statement.bind(2, blob: $0)
    }
    #expect(try statement.step())
    for column in Int32(0)..<2 {
      #expect(statement.type(at: column) == .blob)
      #expect(statement.data(at: column) == value)
    }
  }

  @Test("A statement runs again after a reset, with the same bindings.")
  func again() throws {
    try connection.execute("CREATE TABLE t (x)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    try insert.bind(1, Int64(4))
    try insert.run()
    try insert.run()
    let rows = try connection.prepare("SELECT x FROM t")
    var found: [Int64] = []
    while try rows.step() { found.append(rows.int64(at: 0)) }
    #expect(found == [4, 4])
    insert.clearBindings()
    try insert.run()
    rows.reset()
    var count = 0
    while try rows.step() { count += 1 }
    #expect(count == 3)
  }

  @Test("A parameter that does not exist is an error.")
  func range() throws {
    let statement = try connection.prepare("SELECT ?1")
    do {
      try statement.bind(2, Int64(1))
      Issue.record("a parameter that does not exist was bound")
    } catch SQLiteError.range {}
  }

  @Test("A prepared statement reports its columns.")
  func shape() throws {
    let statement = try connection.prepare("SELECT ?1 AS a, ?2 AS b")
    #expect(statement.columnCount == 2)
    #expect(statement.columnName(at: 1) == "b")
    #expect(statement.columnName(at: 9).isEmpty)
  }

  @Test("A statement that failed runs again.")
  func recovery() throws {
    try connection.execute("CREATE TABLE t (x UNIQUE); INSERT INTO t VALUES (1)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    try insert.bind(1, Int64(1))
    #expect(throws: SQLiteError.self) { try insert.run() }
    #expect(throws: SQLiteError.self) { try insert.step() }
    try insert.bind(1, Int64(2))
    try insert.run()
    #expect(connection.lastInsertedID == 2)
  }

  @Test("A full disk has its own code.")
  func full() throws {
    try connection.execute("CREATE TABLE t (x); PRAGMA max_page_count = 4")
    do {
      try connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
      Issue.record("a full disk accepted the write")
    } catch SQLiteError.full {}
  }
}
