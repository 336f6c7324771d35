import Adoption
import Format
import SQLite

/// Functions for an adopted file: a database that another program owns, and that has a catalog and
/// triggers from `adopt`.
enum AdoptedFile {
  /// The key of the catalog entry with the prefix of the tables that `adopt` added.
  ///
  /// Only adopted files have this entry.
  static let mark = "adopted"

  /// The prefix of the tables that `adopt` added; nil if the file is not an adopted file.
  static func prefix(on connection: Connection) throws -> String? {
    let names = try connection.all(
      """
      SELECT name FROM sqlite_schema
        WHERE type = 'table' AND name LIKE '%catalog' AND sql LIKE '%"key"%"value"%'
      """
    ) { $0.string(at: 0) }
    for name in names {
      let prefix = String(name.dropLast("catalog".count))
      // A forged catalog can contain any text. The prefix must be checked, because SQL contains it
      // without quotes.
      guard CaptureNames.isPrefix(prefix) else { continue }
      let find = "SELECT value FROM \(quoted(name)) WHERE key = '\(mark)'"
      do {
        let found = try connection.first(find) { $0.string(at: 0) }
        if found == prefix, HistoryTables(prefix: prefix).catalog == name { return prefix }
      } catch SQLiteError.error {
        // The table belongs to the program: it has the name of a catalog, but other columns.
        continue
      }
    }
    return nil
  }

  /// The names of the tables and triggers that `adopt` added; nil if the store is not an adopted
  /// file.
  static func names(on connection: Connection) -> CaptureNames? {
    connection.tablePrefix.map { CaptureNames(prefix: $0) }
  }

  // MARK: Capture

  /// Creates the capture tables and the triggers of all recorded tables.
  static func install(
    _ program: ProgramSchema,
    names: CaptureNames,
    on connection: Connection
  )
    throws
  {
    for statement in names.statements(for: program.recorded) { try connection.execute(statement) }
    try createRowidIndexes(program.schema, names: names, on: connection)
  }

  /// Removes what ``install(_:names:on:)`` created.
  static func removeCapture(names: CaptureNames, on connection: Connection) throws {
    let found = try ours(names, on: connection)
    func remove(_ type: String, where condition: (String) -> Bool) throws {
      for object in found where object.type == type && condition(object.name) {
        try connection.execute("DROP \(type) \(quoted(object.name))")
      }
    }
    for object in found where object.type == "trigger" && !names.own(object.table) {
      try connection.execute("DROP TRIGGER \(quoted(object.name))")
    }
    try removeRowidIndexes(names: names, on: connection)
    try remove("view") { _ in true }
    try remove("table") { $0.hasPrefix(names.prefix + "rows_") }
  }

  /// Removes everything that `adopt` added.
  static func removeAll(names: CaptureNames, on connection: Connection) throws {
    for type in ["trigger", "index", "view", "table"] {
      for object in try ours(names, on: connection) where object.type == type {
        try connection.execute("DROP \(type) IF EXISTS \(quoted(object.name))")
      }
    }
  }

  /// The tables and triggers that `adopt` added.
  static func ours(
    _ names: CaptureNames,
    on connection: Connection
  ) throws -> [(type: String, name: String, table: String)] {
    try connection.all("SELECT type, name, tbl_name FROM sqlite_schema") {
      (type: $0.string(at: 0), name: $0.string(at: 1), table: $0.string(at: 2))
    }.filter { names.own($0.name) }
  }
}
