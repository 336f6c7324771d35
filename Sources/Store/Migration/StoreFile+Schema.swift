import Format
import SQLite

extension StoreFile {
  /// Opens the store.
  ///
  /// If the schema has the same tables as the store, the store gets the schema.
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
    // If two attributes swap their names, the tables are equal although a migration is needed.
    let steps = PlannedSteps(try SchemaMapping(from: catalog.schema, to: schema)).steps
    guard differences.isEmpty, steps.isEmpty else {
      try checkVersion(of: catalog.schema, wanted: schema, path: path)
      let reasons = differences.isEmpty ? steps.map(\.description) : differences.map { "\($0)" }
      throw StoreError(.schemaMismatch, at: path, items: differences) {
        "The store \(path) does not fit the model; a migration is needed:\(items: reasons)"
      }
    }
    // The schemas differ only in their version, or in parts that are in no table.
    if !options.isReadOnly, !catalog.isReplica {
      let blobs = Blobs(connection, folder: location.blobFolder)
      try connection.inTransaction(abandoned: blobs.abandon) {
        // Captured rows belong to the old schema, so they are sealed first.
        try StoreCapture.seal(on: connection, blobs: blobs)
        try blobs.prepareToCommit()
        catalog.schemaID = try Catalog.add(schema, on: connection)
        try Catalog.set("schema", value: .integer(catalog.schemaID), on: connection)
      }
      blobs.committed()
    }
    catalog.schema = schema
  }
}
