import Foundation
import Pages
import SQLite
import TestSupport
import Testing

/// A database with tables and indexes, which random statements change.
final class RandomDatabase {
  static let pageSizes = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]
  static let encodings = ["UTF-8", "UTF-16le", "UTF-16be"]

  let url: URL
  let connection: Connection
  private var random: SeededGenerator
  /// The greatest number of bytes of most texts and blobs.
  private let usualSize: Int

  init(
    _ url: URL,
    pageSize: Int,
    encoding: String = "UTF-8",
    vacuum: String = "NONE",
    reserved: Int = 0,
    journal: String = "DELETE",
    random: SeededGenerator
  ) throws {
    self.url = url
    self.random = random
    usualSize = min(pageSize, 3_000)
    if reserved > 0 { try Self.create(url, pageSize: pageSize, reserved: reserved) }
    connection = try Connection(path: url.path, mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA encoding = '\(encoding)';
      PRAGMA auto_vacuum = \(vacuum); PRAGMA journal_mode = \(journal);
      PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE plain (id INTEGER PRIMARY KEY, a, b REAL, c TEXT, d BLOB);
      CREATE TABLE unnumbered (x, y);
      CREATE TABLE keyed (k TEXT, n INTEGER, v, PRIMARY KEY (k, n)) WITHOUT ROWID;
      CREATE INDEX plain_a ON plain (a);
      CREATE INDEX plain_cb ON plain (c DESC, b);
      CREATE TABLE counter (count); INSERT INTO counter VALUES (0);
      CREATE VIEW seen AS SELECT a FROM plain;
      INSERT INTO unnumbered VALUES (1, 2);
      ALTER TABLE unnumbered ADD COLUMN z;
      """
    )
  }

  /// Creates an empty database whose pages end with bytes for extensions.
  private static func create(_ url: URL, pageSize: Int, reserved: Int) throws {
    try Connection(path: url.path, mode: .readWriteCreate)
      .execute("PRAGMA page_size = \(pageSize); VACUUM")
    var bytes = try Data(contentsOf: url)
    bytes[20] = UInt8(reserved)
    let start = pageSize - reserved
    bytes[105] = UInt8(start >> 8)
    bytes[106] = UInt8(start & 0xff)
    try bytes.write(to: url)
  }

  /// Runs random statements in one transaction.
  func commit(statements count: Int) throws {
    try connection.execute("BEGIN")
    for _ in 0..<count { try change() }
    // So that each commit changes something.
    try connection.execute("UPDATE counter SET count = count + 1")
    try connection.execute("COMMIT")
  }

  private func change() throws {
    let id = Int64.random(in: 1...60, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0...2:
      let key =
        Int.random(in: 0..<6, using: &random) == 0 ? Int64(bitPattern: random.next()) : id
      try run("INSERT OR REPLACE INTO plain VALUES (?1, ?2, ?3, ?4, ?5)", [.integer(key)], 4)
    case 3...4: try run("INSERT INTO unnumbered VALUES (?1, ?2, ?3)", [], 3)
    case 5...6:
      let key: [Stored] = [.text(Array(text().utf8)), .integer(id)]
      try run("INSERT OR REPLACE INTO keyed VALUES (?1, ?2, ?3)", key, 1)
    case 7: try run("UPDATE plain SET d = ?2, a = ?3 WHERE id = ?1", [.integer(id)], 2)
    case 8:
      // SQLite overwrites a blob of the same size in its place.
      try connection.execute("UPDATE plain SET d = randomblob(length(d)) WHERE id % 7 = \(id % 7)")
    case 9: try connection.execute("DELETE FROM plain WHERE id % 5 = \(id % 5) AND id > 20")
    case 10: try connection.execute("DELETE FROM unnumbered WHERE rowid % 9 = \(id % 9)")
    default:
      try connection.execute("DELETE FROM keyed WHERE n % 9 = \(id % 9)")
      try connection.execute("DROP TABLE IF EXISTS gone")
      if Bool.random(using: &random) {
        try connection.execute("CREATE TABLE gone AS SELECT * FROM plain LIMIT 5")
      }
    }
  }

  private func run(_ sql: String, _ known: [Stored], _ count: Int) throws {
    let statement = try connection.cached(sql)
    defer { statement.reset() }
    for (index, value) in (known + (0..<count).map { _ in value() }).enumerated() {
      let place = Int32(index + 1)
      switch value {
      case .null: try statement.bindNull(place)
      case .integer(let number): try statement.bind(place, number)
      case .real(let bits): try statement.bind(place, Double(bitPattern: bits))
      case .text(let bytes): try statement.bind(place, String(decoding: bytes, as: UTF8.self))
      case .blob(let bytes): try statement.bind(place, Data(bytes))
      }
    }
    try statement.run()
  }

  private func value() -> Stored {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .null
    case 1...3:
      let bits = UInt64.random(in: 0..<64, using: &random)
      return .integer(Int64(bitPattern: random.next()) >> Int64(bits))
    case 4: return .real(Double(Int.random(in: -9...9, using: &random)).bitPattern)
    case 5:
      let number = Double(bitPattern: random.next())
      return .real((number.isNaN ? .infinity : number).bitPattern)
    case 6...7: return .text(Array(text().utf8))
    default:
      return .blob((0..<size()).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
  }

  private func text() -> String {
    let letters = ["a", "b", "\0", "é", "日", "🛶"]
    return (0..<size() / 2).reduce(into: "") { text, _ in
      text += letters.randomElement(using: &random) ?? ""
    }
  }

  private func size() -> Int {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: Int.random(in: 0...usualSize * 6, using: &random)
    case 1...4: Int.random(in: 0...usualSize, using: &random)
    default: Int.random(in: 0...40, using: &random)
    }
  }
}

/// A value as the file has it, for comparisons.
enum Stored: Hashable {
  case null
  case integer(Int64)
  case real(UInt64)
  case text([UInt8])
  case blob([UInt8])

  init(_ value: StoredValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number.bitPattern)
    case .text(let bytes): self = .text(Array(bytes))
    case .blob(let bytes): self = .blob(Array(bytes))
    }
  }
}

/// A b-tree of a ``RandomDatabase``.
struct Tree: Sendable {
  let name: String
  /// The columns in the order of the record, and how SQLite reads the rows in the tree's order.
  let columns: [String]
  let source: String
  /// The index of a column with the affinity REAL, whose values can be integers in the file.
  var real: Int?
  var isTable = true

  static let all = [
    Tree(name: "plain", columns: ["NULL", "a", "b", "c", "d"], source: "plain", real: 2),
    Tree(name: "unnumbered", columns: ["x", "y", "z"], source: "unnumbered"),
    Tree(
      name: "keyed",
      columns: ["k", "n", "v"],
      source: "keyed ORDER BY k, n",
      isTable: false
    ),
    Tree(
      name: "plain_a",
      columns: ["a", "id"],
      source: "plain ORDER BY a, id",
      isTable: false
    ),
    Tree(
      name: "plain_cb",
      columns: ["c", "b", "id"],
      source: "plain ORDER BY c DESC, b, id",
      real: 1,
      isTable: false
    ),
  ]

  /// The rows as SQLite reads them, where a row of a table begins with its row ID.
  func rows(_ connection: Connection) throws -> [[Stored]] {
    let columns = (isTable ? ["rowid"] : []) + columns
    let list = columns.map { "\($0), CAST(\($0) AS BLOB)" }.joined(separator: ", ")
    let reading = try connection.cached("SELECT \(list) FROM \(source)")
    defer { reading.reset() }
    var result: [[Stored]] = []
    while try reading.step() {
      result.append(
        columns.indices.map { column in
          let (value, bytes) = (Int32(2 * column), Int32(2 * column + 1))
          return switch reading.type(at: value) {
          case .null: .null
          case .integer: .integer(reading.int64(at: value))
          case .real: .real(reading.double(at: value).bitPattern)
          // As a blob, a text has the bytes that the file has.
          case .text: .text(Array(reading.bytes(at: bytes)))
          case .blob: .blob(Array(reading.bytes(at: bytes)))
          }
        }
      )
    }
    return result
  }

  /// The rows as the pages have them.
  func rows(_ view: DatabaseView) throws -> [[Stored]] {
    var result: [[Stored]] = []
    guard let root = try view.roots()[name] else { return result }
    var cursor = try Cursor(view, root: root)
    while try cursor.next() { result.append(try row(&cursor)) }
    return result
  }

  func row(_ cursor: inout Cursor) throws -> [Stored] {
    var row: [Stored] = isTable ? [.integer(cursor.rowID)] : []
    for column in columns.indices {
      let value = try cursor.value(at: column).map { Stored($0) } ?? .null
      if column == real, case .integer(let number) = value {
        row.append(.real(Double(number).bitPattern))
      } else {
        row.append(value)
      }
    }
    return row
  }
}

extension DatabaseView {
  /// The root pages of tables and indexes by their names.
  func roots() throws -> [String: UInt32] {
    var roots: [String: UInt32] = [:]
    try forEachSchemaEntry { if $0.root > 0 { roots[$0.name] = $0.root } }
    return roots
  }
}

/// The rows of all trees.
func dump(_ connection: Connection) throws -> [String: [[Stored]]] {
  try Tree.all.reduce(into: [:]) { $0[$1.name] = try $1.rows(connection) }
}

func dump(_ view: DatabaseView) throws -> [String: [[Stored]]] {
  try Tree.all.reduce(into: [:]) { $0[$1.name] = try $1.rows(view) }
}

/// Records an issue with the first difference, because all rows are too long to be printed.
func expectEqual(
  _ first: [String: [[Stored]]],
  _ second: [String: [[Stored]]],
  _ label: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  for tree in Tree.all where first[tree.name] != second[tree.name] {
    let (one, other) = (first[tree.name] ?? [], second[tree.name] ?? [])
    let place = zip(one, other).enumerated().first { $1.0 != $1.1 }
    Issue.record(
      "\(label): \(tree.name) has \(one.count) and \(other.count) rows, first: \("\(place as Any)".prefix(600))",
      sourceLocation: sourceLocation
    )
  }
}

extension ByteSource {
  /// The bytes of a file at this moment.
  init(contentsOf url: URL) throws { self = .bytes(Array(try Data(contentsOf: url))) }
}

/// The path of the log beside a database.
func log(of url: URL) -> URL { URL(fileURLWithPath: url.path + "-wal") }
