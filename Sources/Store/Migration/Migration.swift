import Format
import FoundationEssentials
import SQLite

package enum Migration {
  /// The schema of a store; nil if the file is missing or empty.
  package static func schema(of file: URL, options: Options = Options()) throws -> StoreSchema? {
    let path = file.path(percentEncoded: false)
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(atPath: path)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    }
    if attributes[.size] as? UInt64 == 0 || attributes[.size] as? Int == 0 { return nil }
    try Store.refuseApple(path)
    do {
      return try describingErrors(at: path) {
        try StoreFile(location: .file(file), options: options).open().1.schema
      }
    } catch let error as StoreError where error.code == .notAStore {
      // The file can be empty, if the program that created this store was killed.
      guard try isUnmadeStore(at: path) else { throw error }
      return nil
    }
  }

  /// Migrates a store to a schema, unless the store has the schema already.
  ///
  /// No other program may keep a long transaction open on the store.
  ///
  /// - Returns: The plan that was executed; nil if no migration was needed.
  @discardableResult
  package static func migrate(
    _ file: URL,
    to schema: StoreSchema,
    author: Author,
    options: Options = Options()
  ) throws -> MigrationPlan? {
    let path = file.path(percentEncoded: false)
    return try describingErrors(at: path) {
      let (connection, catalog) = try StoreFile(location: .file(file), options: options)
        .open()
      guard catalog.schema != schema else { return nil }
      let plan = try MigrationPlan(from: catalog.schema, to: schema, path: path)
      // A transaction of its own would be in the way of the next import.
      if catalog.isReplica, plan.isTrivial { return nil }
      return try apply(plan, on: connection, author: author, provenance: options.provenance)
        ? plan : nil
    }
  }

  /// Executes a plan on a connection that is not in a transaction.
  ///
  /// - Returns: False if another process has already migrated the store.
  @discardableResult
  static func apply(
    _ plan: MigrationPlan,
    on connection: Connection,
    author: Author,
    provenance: Provenance = .system
  ) throws -> Bool {
    let blobs = Blobs(connection, folder: BlobFolder(besides: connection.path))
    return try inTransaction(on: connection) {
      let isDone = try run(
        plan,
        on: connection,
        author: author,
        blobs: blobs,
        provenance: provenance
      )
      try blobs.prepareToCommit()
      return isDone
    } committed: {
      blobs.committed()
    } abandoned: {
      blobs.abandon()
    }
  }

  /// Runs a function in a transaction that can drop and rebuild tables.
  static func inTransaction<Result>(
    on connection: Connection,
    _ body: () throws -> Result,
    committed: () -> Void,
    abandoned: () -> Void
  ) throws -> Result {
    guard !connection.isInTransaction else { throw outOfOrder(at: connection.path) }
    // Dropping a table must not delete the links to its rows; foreign keys are checked before the
    // transaction ends. Other programs' views must not make a rename fail.
    try connection.setForeignKeys(enforced: false)
    try connection.execute("PRAGMA legacy_alter_table = ON")
    defer {
      do {
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        try connection.setForeignKeys(enforced: true)
      } catch {
        // These calls can't fail on an open connection, and a caller could not handle the error.
      }
      connection.removeCachedStatements()
    }
    let result = try connection.inTransaction(abandoned: abandoned, body)
    committed()
    return result
  }

  private static func run(
    _ plan: MigrationPlan,
    on connection: Connection,
    author: Author,
    blobs: Blobs,
    provenance: Provenance
  ) throws -> Bool {
    let catalog = try Catalog(on: connection)
    if catalog.schema == plan.to { return false }
    guard catalog.schema == plan.from else {
      throw changedMeanwhile(at: connection.path)
    }
    try StoreCapture.seal(on: connection, blobs: blobs)
    if try Catalog.historyMode(on: connection) == .tombstones {
      // The free pages of the dropped tables may contain values.
      try FreeSpace.note(.values, on: connection)
    }
    let schemaID = try Catalog.add(plan.to, on: connection)
    let history = MigrationHistory(
      plan: plan,
      connection: connection,
      author: author,
      blobs: blobs,
      provenance: provenance
    )
    try changeTables(plan, schemaID: schemaID, on: connection, blobs: blobs) {
      if !plan.isTrivial { try history.recordRemovals(schemaID: catalog.schemaID) }
      try history.recordOldSchema(schemaID: catalog.schemaID)
      try history.recordMigration(schemaID: schemaID)
    }
    return true
  }

  /// Changes the old tables to the tables of the new schema, which is already in the catalog.
  ///
  /// `record` is called after the checks of the rows and before the first change.
  static func changeTables(
    _ plan: MigrationPlan,
    schemaID: Int64,
    on connection: Connection,
    blobs: Blobs,
    record: () throws -> Void = {}
  ) throws {
    try StoreCapture.removeTriggers(on: connection)
    if plan.isTrivial {
      try record()
    } else {
      try addContents(of: blobs, to: connection)
      let checks = MigrationChecks(plan: plan, connection: connection)
      try checks.run()
      try record()
      try TableChanges(plan: plan, connection: connection, checks: checks).run()
      if let error = try checks.danglingLinks() { throw error }
      try countBlobs(plan.mapping, on: connection)
    }
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    try StoreCapture.of(plan.to)?.install(on: connection)
  }

  /// Adds the SQL function that reads a value in a blob file.
  private static func addContents(of blobs: Blobs, to connection: Connection) throws {
    let path = connection.path
    try connection.addFunction(
      "store_blob_content",
      argumentCount: 1,
      isDeterministic: true
    ) { [weak blobs] arguments in
      // `blobs` is weak, because the connection retains the function, and `blobs` retains the
      // connection.
      guard let blobs else { throw outOfOrder(at: path) }
      return .blob(try blobs.data(arguments.string(at: 0)))
    }
  }

  /// Recounts the rows that use each blob file.
  private static func countBlobs(_ mapping: SchemaMapping, on connection: Connection) throws {
    guard
      (mapping.oldLayouts + mapping.newLayouts).contains(where: { layout in
        layout.columns.contains(where: \.isExternal)
      })
    else { return }
    var queries = ["SELECT NULL AS \"sha256\" WHERE 0"]
    for layout in mapping.newLayouts {
      for column in layout.columns where column.isExternal {
        let condition = layout.ownCondition.map { " AND \($0)" } ?? ""
        queries.append(
          "SELECT \(column.quoted) FROM \(layout.table)"
            + " WHERE typeof(\(column.quoted)) = 'text'\(condition)"
        )
      }
    }
    try connection.execute(
      """
      WITH "counts" AS (SELECT "sha256", count(*) AS "count"
        FROM (\(queries.joined(separator: " UNION ALL "))) GROUP BY "sha256")
      UPDATE "store_blob" SET "rows" = coalesce(
        (SELECT "count" FROM "counts" WHERE "counts"."sha256" = "store_blob"."sha256"), 0)
      """
    )
  }
}

func changedMeanwhile(at path: String) -> StoreError {
  StoreError(.changedMeanwhile, at: path) {
    "Another process changed the store \(path) during its migration; nothing was migrated."
  }
}

func outOfOrder(at path: String) -> StoreError {
  StoreError(.misuse, at: path) {
    "The steps of a migration of the store \(path) ran in the wrong order."
  }
}
