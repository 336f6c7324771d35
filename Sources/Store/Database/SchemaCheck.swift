import Changes
import SQLite

/// Detects that another process migrated the store to a schema with other tables.
struct SchemaCheck {
  let schemaID: Int64
  let schema: StoreSchema

  /// Must be called in a transaction, so that the result holds until its end.
  func run(on connection: Connection) throws {
    let current = try connection.integer(
      "SELECT value FROM \(connection.tables.catalog) WHERE key = 'schema'"
    )
    guard let current, current != schemaID else { return }
    let stored = try Catalog(on: connection).schema
    // Another version with the same tables is compatible.
    let differences = schema.differences(fromStored: stored)
    guard !differences.isEmpty else { return }
    throw MigrationFailure.migratedByOthers(stored: stored, known: schema).at(connection.path)
  }
}
