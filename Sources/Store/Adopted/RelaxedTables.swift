import Adoption
import Format
import SQLite

/// The tables of a replica whose NOT NULL constraints are removed until the end of a SQL transaction.
///
/// SQLite can't disable NOT NULL. But a program can have added the constraint to a table with NULL,
/// or a generated column can be NULL only in another version of SQLite. Logs with such rows must be
/// replayed unchanged.
struct RelaxedTables {
  private let connection: Connection
  /// The definitions of the program, by the names of the tables.
  private var definitions: [(table: String, sql: String)] = []

  init(_ connection: Connection) { self.connection = connection }

  /// Removes the constraints of a table.
  ///
  /// - Returns: Whether the table had such constraints.
  mutating func relax(_ table: String) throws -> Bool {
    let sql = try connection.first(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
      values: [.text(table)]
    ) { $0.string(at: 0) }
    guard let sql else { return false }
    let relaxed = relaxedDefinition(sql)
    guard relaxed != sql, try Self.define(table, as: relaxed, instead: sql, on: connection) else {
      return false
    }
    definitions.append((table, sql))
    return true
  }

  mutating func restore() throws {
    for (table, sql) in definitions {
      let relaxed = relaxedDefinition(sql)
      // The table can have lost its UNIQUE constraints meanwhile.
      guard
        try Self.define(table, as: sql, instead: relaxed, on: connection)
          || Self.define(
            table,
            as: definitionWithoutUnique(sql),
            instead: definitionWithoutUnique(relaxed),
            on: connection
          )
      else {
        throw Catalog.damaged(at: connection.path)
      }
    }
    definitions.removeAll()
  }

  /// Creates a table whose CHECK constraints need a function that only the program has.
  ///
  /// - Returns: Whether the table could be created.
  static func create(_ object: SchemaObject, on connection: Connection) throws -> Bool {
    let relaxed = relaxedDefinition(object.sql)
    guard relaxed != object.sql else { return false }
    try connection.prepare(relaxed).run()
    return try define(object.name, as: object.sql, instead: relaxed, on: connection)
  }

  /// Replaces the text of a table's definition; both texts must describe the same format.
  ///
  /// - Returns: Whether the table had the old text.
  private static func define(
    _ table: String,
    as sql: String,
    instead old: String,
    on connection: Connection
  ) throws -> Bool {
    try rewritingSchema(on: connection) {
      try connection.run(
        "UPDATE sqlite_schema SET sql = ?2 WHERE type = 'table' AND name = ?1 AND sql = ?3",
        values: [.text(table), .text(sql), .text(old)]
      )
      return connection.changes == 1
    }
  }
}

/// Calls a function that changes rows of `sqlite_schema`, and lets SQLite read the definitions
/// again.
func rewritingSchema<Result>(
  on connection: Connection,
  _ body: () throws -> Result
) throws -> Result {
  try connection.execute("PRAGMA writable_schema = ON")
  let result = Swift.Result { try body() }
  // The next statement fails if SQLite can't read a definition.
  try connection.execute("PRAGMA writable_schema = RESET")
  return try result.get()
}
