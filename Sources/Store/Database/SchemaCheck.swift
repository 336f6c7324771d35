import Changes
import SQLite

/// Notices that another process gave the store a schema that needs other tables.
struct SchemaCheck {
  let schemaID: Int64
  let schema: StoreSchema

  /// Throws where the tables are no longer those that the statements of this process know.
  ///
  /// It is called in a transaction, so that what holds now holds until its end.
  func run(on connection: Connection) throws {
    let current = try connection.integer("SELECT value FROM store_catalog WHERE key = 'schema'")
    guard let current, current != schemaID else { return }
    let stored = try Catalog(on: connection).schema
    // Another version with the same tables does no harm.
    let differences = schema.differences(fromStored: stored)
    guard !differences.isEmpty else { return }
    throw MigrationFailure.migratedByOthers(stored: stored, known: schema).at(connection.path)
  }
}
