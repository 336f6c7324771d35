import Adoption
import Changes
import SQLite

extension AdoptedFile {
  /// Seals the captured changes of an adopted file, and creates the triggers again if tables
  /// changed.
  ///
  /// The function takes the write lock only if changes were captured or tables changed.
  ///
  /// `earlier` has the rows before a migration that has just run.
  static func seal(
    on connection: Connection,
    blobFolder: BlobFolder?,
    earlier: EarlierTables? = nil
  ) throws {
    guard let names = names(on: connection) else { return }
    guard try needsSeal(connection) else { return }
    let blobs = Blobs(connection, folder: blobFolder)
    try connection.inTransaction(abandoned: { blobs.abandon() }) {
      let catalog = try Catalog(on: connection)
      let recorder = try ChangeRecorder(
        connection,
        schema: catalog.schema,
        schemaID: catalog.schemaID,
        blobs: blobs,
        provenance: .system
      )
      var unsealed: Set<String> = []
      if try Suspension(on: connection) == nil {
        let hasNewSchema = try !isCurrent(on: connection)
        if hasNewSchema { unsealed = try numberedTables(names, catalog, on: connection) }
        try AdoptedSeal(
          connection,
          names: names,
          layouts: catalog.schema.layouts(),
          recorder: recorder,
          blobs: blobs,
          hasNewSchema: hasNewSchema
        ).run()
      }
      _ = try SchemaRenewal(
        connection: connection,
        names: names,
        catalog: catalog,
        blobs: blobs,
        earlier: earlier,
        unsealed: unsealed
      ).run()
      try blobs.prepareToCommit()
    }
    blobs.committed()
  }

  /// The tables with captured rows that only rowids identify.
  ///
  /// After a change of SQLite's schema version, these captured rows are not sealed.
  private static func numberedTables(
    _ names: CaptureNames,
    _ catalog: Catalog,
    on connection: Connection
  ) throws -> Set<String> {
    let tables = try catalog.schema.entities.enumerated().filter { number, entity in
      try entity.identity?.rowid != nil
        && connection.hasRow("SELECT 1 FROM \(names.rows(number)) LIMIT 1")
    }
    return Set(tables.map(\.element.name))
  }

  /// Seals the captured changes in the open SQL transaction of a writer.
  ///
  /// `schema` is the schema that the writer uses.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/changedMeanwhile`` if the program changed its
  ///   tables since the store was opened.
  static func seal(
    on connection: Connection,
    blobs: Blobs,
    recorder: ChangeRecorder,
    schema: StoreSchema
  ) throws {
    guard let names = names(on: connection) else { return }
    guard try isCurrent(on: connection) else {
      throw MigrationFailure.changedMeanwhile.at(connection.path)
    }
    try AdoptedSeal(
      connection,
      names: names,
      layouts: schema.layouts(),
      recorder: recorder,
      blobs: blobs
    ).run()
  }

  private static func needsSeal(_ connection: Connection) throws -> Bool {
    guard try isCurrent(on: connection), try Suspension(on: connection) == nil,
      let names = names(on: connection)
    else { return true }
    let count = try Catalog(on: connection).schema.entities.count
    return try connection.hasRow("SELECT 1 FROM \(names.bracket) LIMIT 1")
      || hasCapturedRows(count, names: names, on: connection)
  }
}
