import Adoption
import Format
import SQLite

extension StoreSchema {
  /// The names of the full-text tables of FTS5, whose indexes must be rebuilt after their content
  /// was written directly.
  package var fullTextTables: [String] {
    (adopted ?? []).filter { $0.type == "table" && isFullText($0.sql) }.map(\.name)
  }
}

/// Rebuilds full-text indexes from their content.
///
/// - Parameters:
///   - schema: The schema of the file.
///   - contents: The names of the `_content` tables that changed; nil to rebuild all indexes.
///   - connection: The connection to the file.
/// - Throws: ``SQLiteError``.
func rebuildFullText(
  of schema: StoreSchema,
  contents: Set<String>? = nil,
  on connection: Connection
) throws {
  for table in schema.fullTextTables {
    guard contents?.contains(table + "_content") ?? true else { continue }
    let name = quoted(table)
    do {
      try connection.execute("INSERT INTO \(name) (\(name)) VALUES ('rebuild')")
    } catch SQLiteError.error {
      // If a column that the index names was renamed, SQLite can't read the index in the program's
      // file either.
    }
  }
}
