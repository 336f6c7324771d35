import Foundation
import SQLite
import Store

/// The cost of capture in a file that another program writes; the peer is what people write by hand:
/// triggers that keep the old and the new row as JSON.
struct CaptureBudgets {
  private static let columns = ["id", "name", "mail", "city", "age", "score"]

  let count: Int
  let folder: URL

  var budgets: [Budget] {
    [
      budget("insert \(count) rows by key", limit: 1.2, unique: false, prepare: "", insert),
      budget("update \(count) rows by key", limit: 1.2, unique: false, prepare: insert, update),
      budget("delete \(count) rows by key", limit: 1.2, unique: false, prepare: insert, delete),
      budget("insert with two unique indexes", limit: 2, unique: true, prepare: "", insert),
      budget("update of a unique value", limit: 2, unique: true, prepare: insert, move),
    ]
  }

  /// Numbers from 1 to the count.
  private var numbers: String {
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
  }

  private var insert: String {
    "\(numbers) INSERT INTO person SELECT i, 'name ' || i, 'mail' || i || '@example.org',"
      + " 'city ' || (i % 100), i % 90, i * 0.5 FROM n"
  }
  private var update: String { "UPDATE person SET age = age + 1, city = 'moved'" }
  private var move: String { "UPDATE person SET mail = 'new' || mail" }
  private var delete: String { "DELETE FROM person" }

  private func budget(
    _ name: String,
    limit: Double,
    unique: Bool,
    prepare: String,
    _ statement: String
  ) -> Budget {
    Budget(
      name: "capture: \(name)",
      limit: limit,
      peer: { try measure(isAdopted: false, unique: unique, prepare: prepare, statement) },
      ours: { try measure(isAdopted: true, unique: unique, prepare: prepare, statement) }
    )
  }

  private func measure(
    isAdopted: Bool,
    unique: Bool,
    prepare: String,
    _ statement: String
  ) throws -> Double {
    let path = folder.appending(path: "capture.db").path
    // A file of the run before may not be there.
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    let connection = try Connection(path: path, mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, mail TEXT, city TEXT, age INT,
        score REAL);
      """
    )
    if unique {
      try connection.execute(
        "CREATE UNIQUE INDEX a ON person(name); CREATE UNIQUE INDEX b ON person(mail)"
      )
    }
    try connection.execute(prepare)
    if isAdopted { _ = try Store.adopt(path) } else { try connection.execute(Self.triggers) }
    return try processorSeconds { try connection.execute(statement) }
  }

  private static var triggers: String {
    func row(_ name: String) -> String {
      "json_object(" + columns.map { "'\($0)', \(name).\($0)" }.joined(separator: ", ") + ")"
    }
    func trigger(_ event: String, old: String, new: String) -> String {
      """
      CREATE TRIGGER audit_\(event) AFTER \(event) ON person BEGIN
        INSERT INTO audit (at, op, old, new)
          VALUES (strftime('%Y-%m-%d %H:%M:%f', 'now'), '\(event)', \(old), \(new));
      END;
      """
    }
    return """
      CREATE TABLE audit (id INTEGER PRIMARY KEY, at TEXT, op TEXT, old TEXT, new TEXT);
      \(trigger("INSERT", old: "NULL", new: row("NEW")))
      \(trigger("UPDATE", old: row("OLD"), new: row("NEW")))
      \(trigger("DELETE", old: row("OLD"), new: "NULL"))
      """
  }
}
