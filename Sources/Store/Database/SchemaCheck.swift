import Format
import SQLite

/// Detects that another process migrated the store to a schema with other tables.
struct SchemaCheck {
  let schemaID: Int64
  let schema: StoreSchema

  /// Throws if the store has a schema with other tables.
  ///
  /// Call this check in a transaction; its result is valid until the transaction ends.
  func run(on connection: Connection) throws {
    let current = try connection.integer(
      "SELECT value FROM \(connection.tables.catalog) WHERE key = 'schema'"
    )
    guard let current, current != schemaID else { return }
    let stored = try Catalog(on: connection).schema
    // A schema of another version is compatible if the tables are the same.
    let differences = schema.differences(fromStored: stored)
    guard !differences.isEmpty else { return }
    throw migratedByOthers(from: schema, to: stored, at: connection.path)
  }
}

func migratedByOthers(
  from known: StoreSchema,
  to stored: StoreSchema,
  at path: String
) -> StoreError {
  StoreError(.schemaMismatch, at: path, items: known.differences(fromStored: stored)) {
    "Another process migrated the store \(path) to version \(stored.version) of the schema;"
      + " this process uses version \(known.version)."
      + "\nOpen the store again with the newer model."
  }
}
