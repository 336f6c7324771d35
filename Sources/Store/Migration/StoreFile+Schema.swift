import Changes
import SQLite

extension StoreFile {
  /// Refuses a store that a newer version of the application wrote.
  private func checkVersion(
    of stored: StoreSchema,
    wanted: StoreSchema
  ) throws {
    guard SchemaVersion(wanted.version) < SchemaVersion(stored.version) else { return }
    throw MigrationFailure.newerSchema(stored: stored, wanted: wanted).at(path)
  }

  /// Opens the store with a schema, which becomes the store's if its tables are the same.
  ///
  /// - Throws: ``StoreError/Code/schemaMismatch`` if the store needs a migration.
  func open(schema: StoreSchema?) throws -> (Connection, Catalog) {
    guard let schema else { return try open() }
    return try open(creating: schema) { try fit(schema, to: &$0, on: $1) }
  }

  private func fit(
    _ schema: StoreSchema,
    to catalog: inout Catalog,
    on connection: Connection
  ) throws {
    guard schema != catalog.schema else { return }
    let differences = schema.differences(fromStored: catalog.schema)
    // Two attributes that swap their names leave tables of the same shape.
    let steps = PlannedSteps(try SchemaMapping(from: catalog.schema, to: schema)).steps
    guard differences.isEmpty, steps.isEmpty else {
      try checkVersion(of: catalog.schema, wanted: schema)
      throw MigrationFailure.needed(steps: steps.map(\.description), differences).at(path)
    }
    // The tables are the same: only the version, or what concerns no table, is new.
    if !options.isReadOnly {
      let blobs = Blobs(connection, folder: location.blobFolder)
      try connection.inTransaction(abandoned: blobs.abandon) {
        // What was caught so far was written under the other schema.
        try ForeignSeal.seal(on: connection, blobs: blobs)
        try blobs.prepareToCommit()
        catalog.schemaID = try Catalog.add(schema, on: connection)
        try Catalog.set("schema", value: .integer(catalog.schemaID), on: connection)
      }
      blobs.committed()
    }
    catalog.schema = schema
  }
}
