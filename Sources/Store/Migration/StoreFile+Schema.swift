import Changes
import SQLite

extension StoreFile {
  /// Refuses a store that a newer version of the application wrote.
  private func checkVersion(
    of stored: StoreSchema,
    wanted: StoreSchema,
    _ differences: [SchemaDifference]
  ) throws {
    guard SchemaVersion(wanted.version) < SchemaVersion(stored.version) else { return }
    throw StoreError(
      .newerSchema,
      "The store \(path) has version \(stored.version) of the schema, and the model is version"
        + " \(wanted.version), which is older. Use the program that has version \(stored.version)"
        + " or a newer one.",
      path: path,
      differences: differences
    )
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
      try checkVersion(of: catalog.schema, wanted: schema, differences)
      let list =
        (differences.isEmpty ? steps.map(\.description) : differences.map(\.description))
        .map { "\n- \($0)" }.joined()
      throw StoreError(
        .schemaMismatch,
        "The store \(path) does not fit the model; a migration is needed:\(list)",
        path: path,
        differences: differences
      )
    }
    // The tables are the same: only the version, or what concerns no table, is new.
    if !options.isReadOnly {
      let blobs = Blobs(connection, location.blobFolder)
      try connection.inTransaction(abandoned: blobs.abandon) {
        // What was caught so far was written under the other schema.
        try ForeignSeal.seal(on: connection, blobs)
        try blobs.prepareToCommit()
        catalog.schemaID = try Catalog.add(schema, on: connection)
        try Catalog.set("schema", .integer(catalog.schemaID), on: connection)
      }
      blobs.committed()
    }
    catalog.schema = schema
  }
}
