import Format
import FoundationEssentials
import SQLite

extension Migration {
  /// Migrates a replica to the next schema of its origin, and replays transactions that the origin
  /// recorded under that schema, in one transaction.
  ///
  /// The rows of removed entities are deleted already, because the origin recorded their deletion
  /// under the old schema. If tables change, the first transaction must be the one that records the
  /// origin's migration. The migrated rows already have the values of this transaction, so the
  /// values are only compared.
  ///
  /// - Parameters:
  /// - file: The replica, which is not open elsewhere in this process.
  /// - schema: The schema of the transactions.
  /// - options: How the replica is opened.
  /// - content: Returns the bytes of a large value by its SHA-256.
  /// - body: Replays any number of whole transactions, and at least one if tables change.
  /// - Returns: The result of the body.
  /// - Throws: ``StoreError``; the replica is then unchanged.
  @discardableResult
  package static func replay<Result>(
    _ file: URL,
    to schema: StoreSchema,
    options: Options = Options(),
    content: @escaping (String) throws -> LargeValue,
    _ body: (Replayer) throws -> Result
  ) throws -> Result {
    let location = Location.file(file)
    return try describingErrors(at: location.path) {
      let (connection, catalog) = try StoreFile(location: location, options: options).open()
      guard catalog.isReplica else { throw notAReplica(at: location.path) }
      if schema.isAdopted {
        return try replayAdopted(
          connection,
          catalog,
          to: schema,
          options: options,
          location: location,
          content: content,
          body
        )
      }
      let plan = try MigrationPlan(
        from: catalog.schema,
        to: schema,
        areRemovalsDone: true,
        path: location.path
      )
      var writer: Writer?
      return try inTransaction(on: connection) {
        let blobs = Blobs(connection, folder: location.blobFolder)
        try changeTables(plan, from: catalog, on: connection, blobs: blobs)
        let made = try Writer(
          connection,
          catalog: Catalog(on: connection),
          location: location,
          provenance: options.provenance
        )
        writer = made
        return try Replayer(made, migrated: plan).run(content: content, body)
      } committed: {
        writer?.committed()
      } abandoned: {
        writer?.abandon()
      }
    }
  }

  private static func changeTables(
    _ plan: MigrationPlan,
    from catalog: Catalog,
    on connection: Connection,
    blobs: Blobs
  ) throws {
    let path = connection.path
    guard try Catalog(on: connection).schema == catalog.schema else {
      throw changedMeanwhile(at: path)
    }
    // A replica with captured changes is not migrated, because these changes refer to the old
    // tables.
    guard try !StoreCapture.isAnythingCaptured(catalog.schema, on: connection) else {
      throw StoreError(.replayMismatch, at: path) {
        "The replica \(path) can't be migrated to version \(plan.to.version) of the schema because"
          + " another program has changed it."
      }
    }
    let schemaID = try Catalog.add(plan.to, on: connection)
    try changeTables(plan, schemaID: schemaID, on: connection, blobs: blobs)
    let succession = try SchemaSuccession([plan.from, plan.to])
    try UnknownValues(connection, layouts: plan.mapping.newLayouts).rename { entity, property in
      guard let new = succession.entity(entity),
        let name = succession.property(property, of: entity)
      else { return nil }
      return (new, name)
    }
  }
}
