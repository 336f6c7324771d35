import Format
import Foundation
import SQLite
import TestSupport

@testable import Store

/// A database of a program that knows nothing of the library, with a table of each kind of key.
final class AdoptedProgram {
  /// A transaction of the history, for comparisons.
  struct Recorded: Equatable {
    var operation: String
    var author: String?
    var boundary: String?
    /// Each change with its kind, its table, the name of its row, and its values before and after.
    var changes: [String]
  }

  static let tables = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT UNIQUE, age INT);
    CREATE TABLE pet(id INTEGER PRIMARY KEY, name TEXT,
      owner INT REFERENCES person ON DELETE CASCADE);
    CREATE TABLE tag(word TEXT PRIMARY KEY, n);
    CREATE TABLE pair(x TEXT, y INT, v, PRIMARY KEY (x, y)) WITHOUT ROWID;
    CREATE TABLE loose(a, b);
    CREATE INDEX pet_owner ON pet(owner);
    CREATE VIEW adult AS SELECT name FROM person WHERE age > 17;
    CREATE TRIGGER born AFTER INSERT ON pet WHEN NEW.name IS NULL BEGIN
      UPDATE pet SET name = 'Rex' WHERE id = NEW.id;
    END;
    INSERT INTO person VALUES (1, 'Ann', 30), (2, 'Bob', NULL), (3, 'Cy', 5);
    INSERT INTO pet VALUES (1, 'Tom', 1), (2, 'Kit', 2), (3, 'Ace', 2);
    INSERT INTO tag VALUES ('red', 1), ('blue', 2.5), (NULL, x'00ff');
    INSERT INTO pair VALUES ('k', 1, NULL), ('k', 2, 'two');
    INSERT INTO loose VALUES (1, x''), ('text', -0.5), (NULL, NULL);
    """

  private let folder: TestSupport.TemporaryFolder
  let path: String
  /// The program's own connection, which stays open and enforces foreign keys.
  let connection: Connection

  /// Creates the database and adopts it.
  init(_ settings: String = "", isAdopted: Bool = true) throws {
    folder = try TestSupport.TemporaryFolder()
    path = folder.file("app.db").path
    connection = try Connection(path: path, mode: .readWriteCreate)
    try connection.execute(settings + Self.tables)
    try connection.setForeignKeys(enforced: true)
    if isAdopted { _ = try Store.adopt(path) }
  }

  func file(_ name: String) -> URL { folder.file(name) }

  func run(_ sql: String) throws { try connection.execute(sql) }

  func open() throws -> Store { try Store.open(.file(URL(fileURLWithPath: path))) }

  /// The history after the marker of the adoption.
  func history() throws -> [Recorded] {
    try open().read { reader in
      let cursor = try reader.history(after: 1)
      var result: [Recorded] = []
      while let transaction = try cursor.nextTransaction() {
        var changes: [String] = []
        while let change = try cursor.nextChange() { changes.append(text(of: change)) }
        result.append(
          Recorded(
            operation: transaction.operation.rawValue,
            author: transaction.author,
            boundary: transaction.details.flatMap { details in
              CanonicalText(Array(details.utf8)).value(of: "boundary")?
                .withUnsafeBytes { parseJSONString($0) }
            },
            changes: changes
          )
        )
      }
      return result
    }
  }

  /// Creates a replica from a snapshot after a transaction, and replays the later transactions.
  func replica(_ name: String, after transaction: Int64? = nil) throws -> FollowingReplica {
    _ = try replicaFromSnapshot(of: open(), at: .file(file(name)), after: transaction)
    return FollowingReplica(at: file(name))
  }
}

private func text(of change: Change) -> String {
  func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
  return "\(change.kind.rawValue) \(text(change.entity)) \(change.id)"
    + " \(text(change.before)) \(text(change.after))"
}

/// The rows of a program's tables as SQL spells them, each with the name of its table, and with its
/// rowid if nothing else identifies it.
func programRows(of path: String) throws -> [String] {
  let connection = try Connection(path: path, mode: .readOnly)
  let tables = try connection.all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'travelog_*' ORDER BY 1"
  ) { $0.string(at: 0) }
  return try tables.flatMap { table in
    let columns = try connection.all(
      "SELECT name FROM pragma_table_info('\(table)')"
    ) { "quote(\(quoted($0.string(at: 0))))" }
    let list = table == "loose" ? ["rowid"] + columns : columns
    return try connection.all(
      "SELECT \(list.joined(separator: " || ',' || ")) FROM \(quoted(table)) ORDER BY 1"
    ) { "\(table) \($0.string(at: 0))" }
  }
}

/// The schema of a database with the page of each table, as SQLite keeps it.
func schemaRows(of path: String) throws -> [String] {
  try Connection(path: path, mode: .readOnly).all(
    "SELECT rowid || type || name || tbl_name || rootpage || quote(sql) FROM sqlite_schema"
  ) { $0.string(at: 0) }
}
