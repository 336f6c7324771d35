import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport

/// A program that writes at random to its database, which has tables with keys of all kinds.
struct QueriedProgram {
  let path: String
  /// The file with the history.
  let store: String
  /// Whether the program also changes its tables.
  var changesTables = true
  private(set) var steps: [String] = []
  private var random: SeededGenerator
  private var tables: [String: [String]] = [:]
  private var number = 0

  init(
    _ folder: URL,
    _ name: String,
    isFollowed: Bool = false,
    encoding: String = "UTF-8"
  ) throws {
    random = SeededGenerator(for: name)
    path = folder.appendingPathComponent("app.db").path
    store = isFollowed ? folder.appendingPathComponent("app.history").path : path
    let connection = try Connection(path: path, mode: .readWriteCreate)
    try connection.execute("PRAGMA encoding = '\(encoding)'")
    try connection.execute("PRAGMA journal_mode = \(isFollowed ? "DELETE" : "WAL")")
    for (table, definition, columns) in Self.definitions {
      try connection.execute("CREATE TABLE \(quoted(table)) \(definition)")
      tables[table] = columns
    }
    try connection.execute(
      "CREATE INDEX person_age ON person (age); CREATE VIEW old_people AS SELECT * FROM person"
    )
    for _ in 0..<30 { try write(on: connection) }
    steps = []
    if isFollowed {
      _ = try Store.follow(path, history: store)
    } else {
      _ = try Store.adopt(path)
    }
  }

  private static let definitions: [(String, String, [String])] = [
    (
      "person", "(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, age INT, note)",
      ["id", "name", "age", "note"]
    ),
    ("tag", "(k TEXT PRIMARY KEY, n REAL) WITHOUT ROWID", ["k", "n"]),
    ("pair", "(a TEXT NOT NULL, b INTEGER NOT NULL, v BLOB, PRIMARY KEY (a, b))", ["a", "b", "v"]),
    ("loose", "(v, w NUMERIC)", ["v", "w"]),
    ("unsure", "(k TEXT UNIQUE, v TEXT)", ["k", "v"]),
    ("plain", "(k PRIMARY KEY, v) WITHOUT ROWID", ["k", "v"]),
    (
      "made",
      "(id INTEGER PRIMARY KEY AUTOINCREMENT, x INT, y INT AS (x + 1), z AS (x || 'z') STORED)",
      ["id", "x"]
    ),
    ("strict", "(id INTEGER PRIMARY KEY, a ANY, t TEXT) STRICT", ["id", "a", "t"]),
    (
      "link", "(person INTEGER, tag TEXT, PRIMARY KEY (person, tag)) WITHOUT ROWID",
      ["person", "tag"]
    ),
  ]

  /// The last transaction, after the changes of the program were recorded.
  func head() throws -> Int64 {
    try readableStore(store).read { try $0.sealedHead() }
  }

  /// Commits some changes, and records them.
  mutating func step() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    if changesTables, Int.random(in: 0..<5, using: &random) == 0 {
      try changeTables(on: connection)
      // A commit that changes tables has no rows here, so that each state has a transaction.
      _ = try head()
    }
    try connection.execute("BEGIN")
    for _ in 0..<Int.random(in: 1...6, using: &random) { try write(on: connection) }
    try connection.execute("COMMIT")
    _ = try head()
  }

  private mutating func changeTables(on connection: Connection) throws {
    number += 1
    let names = tables.keys.sorted()
    guard let table = names.randomElement(using: &random), table != "made", table != "strict" else {
      return
    }
    let name = quoted(table)
    let sql: String
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      sql = "ALTER TABLE \(name) ADD COLUMN added\(number) TEXT DEFAULT 'd\(number)'"
      tables[table]?.append("added\(number)")
    case 1:
      guard let column = tables[table]?.last, table != "person" else { return }
      sql = "ALTER TABLE \(name) RENAME COLUMN \(quoted(column)) TO named\(number)"
      tables[table] = (tables[table] ?? []).dropLast() + ["named\(number)"]
    case 2:
      guard table != "person" else { return }
      sql = "ALTER TABLE \(name) RENAME TO table\(number)"
      tables["table\(number)"] = tables.removeValue(forKey: table)
    case 3:
      sql = "CREATE TABLE new\(number) (id INTEGER PRIMARY KEY, v TEXT)"
      tables["new\(number)"] = ["id", "v"]
    default:
      guard table != "person", tables.count > 5 else { return }
      sql = "DROP TABLE \(name)"
      tables[table] = nil
    }
    steps.append(sql)
    try connection.execute(sql)
  }

  private mutating func write(on connection: Connection) throws {
    guard let table = tables.keys.sorted().randomElement(using: &random),
      let columns = tables[table]
    else { return }
    let name = quoted(table)
    let sql: String
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4:
      let values = columns.map { value(of: $0, table) }.joined(separator: ", ")
      let list = columns.map(quoted).joined(separator: ", ")
      let way = ["OR IGNORE", "OR REPLACE"].randomElement(using: &random) ?? ""
      sql = "INSERT \(way) INTO \(name) (\(list)) VALUES (\(values))"
    case 5...7:
      let column = columns[Int.random(in: 0..<columns.count, using: &random)]
      sql =
        "UPDATE OR IGNORE \(name) SET \(quoted(column)) = \(value(of: column, table))"
        + " WHERE \(condition(columns, table))"
    default: sql = "DELETE FROM \(name) WHERE \(condition(columns, table))"
    }
    steps.append(sql)
    do {
      try connection.execute(sql)
    } catch let error as SQLiteError where error.primaryCode == SQLiteError.constraint {
      // A strict table refuses some values, and a key may not be NULL.
    }
  }

  private mutating func condition(_ columns: [String], _ table: String) -> String {
    let column = columns[Int.random(in: 0..<min(2, columns.count), using: &random)]
    return "\(quoted(column)) = \(value(of: column, table))"
  }

  private mutating func value(of column: String, _ table: String) -> String {
    let small = Int.random(in: 1...8, using: &random)
    if ["id", "b", "person"].contains(column) { return "\(small)" }
    if column == "k" || column == "a" || column == "tag" {
      if table == "plain" {
        let keys = ["\(small)", "\(small).5", "'\(small)'", "x'0\(small)'"]
        return keys.randomElement(using: &random) ?? ""
      }
      return table == "unsure" && small == 1 ? "NULL" : "'k\(small)'"
    }
    return [
      "NULL", "\(small)", "\(small).25", "'\(small)'", "'text \(small)'", "x'00ff0\(small)'", "''",
      "-9223372036854775808", "1e300", "'Ä\u{1F600}'", "zeroblob(3)", "'k\(small)'",
    ].randomElement(using: &random) ?? ""
  }

  // MARK: Statements

  /// A random statement on the tables of two points, `main` and `old`.
  static func statement(_ random: inout SeededGenerator) -> String {
    func one(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
    func schema() -> String { one(["main", "old"]) }
    let value = one(["3", "'3'", "3.0", "'k3'", "'TEXT 3'", "NULL", "x'00ff03'", "2.25", "'5'"])
    let compare = one(["=", "<", ">=", "<>", "IS", "IS NOT"])
    let column = one(["p.id", "p.name", "p.age", "p.note"])
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return "SELECT * FROM \(schema()).person p WHERE \(column) \(compare) \(value)"
    case 1:
      return "SELECT p.*, q.* FROM main.person p JOIN old.person q ON \(column)"
        + " = \(one(["q.id", "q.name", "q.age", "q.note"]))"
    case 2:
      return "SELECT p.name, count(*), sum(p.age), max(p.note) FROM \(schema()).person p GROUP BY 1"
    case 3:
      return "SELECT * FROM \(schema()).link l JOIN \(schema()).person p ON p.id = l.person"
        + " LEFT JOIN \(schema()).tag t ON t.k = l.tag"
    case 4: return "SELECT * FROM \(schema()).plain WHERE k \(compare) \(value)"
    case 5:
      return "SELECT a, b, v FROM main.pair EXCEPT SELECT a, b, v FROM old.pair"
    case 6:
      return "SELECT * FROM \(schema()).tag WHERE k IN (SELECT tag FROM \(schema()).link)"
        + " OR n > \(value)"
    case 7:
      return "SELECT rowid, * FROM \(schema()).loose WHERE \(one(["rowid", "v", "w"])) \(compare)"
        + " \(value)"
    default:
      return "SELECT u.*, p.* FROM \(schema()).unsure u, \(schema()).plain p WHERE u.v = p.v"
        + " ORDER BY u.k DESC, p.k"
    }
  }
}
