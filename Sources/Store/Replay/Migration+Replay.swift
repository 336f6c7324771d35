import Changes
import FoundationEssentials
import SQLite

extension Migration {
  /// Takes a replica to the schema that its origin got next, and replays transactions that the
  /// origin recorded under it, all in one transaction.
  ///
  /// The rows of removed entities are gone by then, because the origin recorded their deletion
  /// under the old schema. Where tables change, the first transaction is the one in which the origin
  /// recorded its migration: its values are in the rows already, and are compared with them.
  ///
  /// - Parameters:
  ///   - file: The replica, which is open nowhere else in this process.
  ///   - schema: The schema of the transactions.
  ///   - options: How the replica is opened.
  ///   - content: Gives the bytes of a value that is too large for a line, by its SHA-256.
  ///   - body: Replays any number of whole transactions, and where tables change one at least.
  /// - Returns: What the body returns.
  /// - Throws: ``StoreError``; the replica is then as it was.
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
      let (connection, catalog) = try StoreFile(location: location, options: options)
        .open()
      guard catalog.isReplica else { throw ReplayFailure.notAReplica.at(location.path) }
      let plan = try MigrationPlan(from: catalog.schema, to: schema, areRemovalsDone: true)
      var writer: Writer?
      return try inTransaction(on: connection) {
        let blobs = Blobs(connection, folder: location.blobFolder)
        try changeTables(plan, from: catalog, on: connection, blobs: blobs)
        let made = try Writer(
          connection: connection,
          catalog: Catalog(on: connection),
          layouts: schema.layouts(),
          blobFolder: location.blobFolder,
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
      throw MigrationFailure.changedMeanwhile.at(path)
    }
    // What was caught is told in terms of the old tables.
    guard try !CapturedRows.areThere(on: connection) else {
      throw ReplayFailure.changedByOthers(version: plan.to.version).at(path)
    }
    let schemaID = try Catalog.add(plan.to, on: connection)
    try changeTables(plan, schemaID: schemaID, on: connection, blobs: blobs)
  }
}
