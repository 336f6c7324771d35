import Changes
import FoundationEssentials
import SQLite

/// Takes a store from one schema to another, in one transaction: all of it or nothing.
package enum Migration {
  /// Plans the way from one schema to another, without looking at any store.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/newerSchema`` where the store's version is the
  ///   newer one, and with ``StoreError/Code/migrationRefused`` and all reasons where there is no
  ///   way that keeps what is stored.
  package static func plan(
    from old: StoreSchema,
    to new: StoreSchema
  ) throws -> MigrationPlan {
    try MigrationPlan(from: old, to: new)
  }

  /// The schema that a store carries; nil if there is no file, or an empty one.
  package static func schema(of file: URL, options: Options = Options()) throws -> StoreSchema? {
    let path = file.path(percentEncoded: false)
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(atPath: path)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    }
    if attributes[.size] as? UInt64 == 0 || attributes[.size] as? Int == 0 { return nil }
    do {
      return try describingErrors(at: path) {
        try StoreFile(location: .file(file), options: options).open().1.schema
      }
    } catch let error as StoreError where error.code == .notAStore {
      // Whoever was killed while it made the store left a file that turns out to be empty.
      guard try isUnmadeStore(at: path) else { throw error }
      return nil
    }
  }

  /// Migrates the store in a file, if it has another schema; nobody else may have it open for
  /// long transactions meanwhile.
  ///
  /// - Returns: What was done; nil if the store has this schema already.
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
      let plan = try plan(from: catalog.schema, to: schema)
      let isDone = try apply(
        plan,
        on: connection,
        author: author,
        provenance: options.provenance
      )
      return isDone ? plan : nil
    }
  }

  /// Carries a plan out on a connection that is not in a transaction.
  ///
  /// - Returns: False if the store has the new schema already, because another process was
  ///   quicker.
  @discardableResult
  package static func apply(
    _ plan: MigrationPlan,
    on connection: Connection,
    author: Author
  ) throws -> Bool {
    try apply(plan, on: connection, author: author, provenance: .system)
  }

  private static func apply(
    _ plan: MigrationPlan,
    on connection: Connection,
    author: Author,
    provenance: Provenance
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

  /// Calls inside a transaction in which tables may be dropped and made anew.
  static func inTransaction<Result>(
    on connection: Connection,
    _ body: () throws -> Result,
    committed: () -> Void,
    abandoned: () -> Void
  ) throws -> Result {
    guard !connection.isInTransaction else { throw MigrationFailure.outOfOrder.at(connection.path) }
    // A table that is dropped and made anew must not take the links to it along. The checks come
    // back before the transaction ends. Views of other people's making don't stop a rename.
    try connection.setForeignKeys(enforced: false)
    try connection.execute("PRAGMA legacy_alter_table = ON")
    defer {
      do {
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        try connection.setForeignKeys(enforced: true)
      } catch {
        // Neither can fail on an open connection; a caller could do nothing about it.
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
      throw MigrationFailure.changedMeanwhile.at(connection.path)
    }
    try ForeignSeal.seal(on: connection, blobs: blobs)
    if try Catalog.historyMode(on: connection) == .tombstones {
      // Tables that are made anew leave the pages of the old ones.
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
      try history.recordMigration(schemaID: schemaID)
    }
    return true
  }

  /// Gives a store the tables of the new schema, which has its place in the catalog already.
  ///
  /// `record` is called when the rows are known to be fit for it and nothing has changed yet.
  static func changeTables(
    _ plan: MigrationPlan,
    schemaID: Int64,
    on connection: Connection,
    blobs: Blobs,
    record: () throws -> Void = {}
  ) throws {
    try ForeignCapture.removeTriggers(on: connection)
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
    try ForeignCapture.of(plan.to).install(on: connection)
  }

  /// Adds the function that reads a value which is kept in a file beside the store.
  private static func addContents(of blobs: Blobs, to connection: Connection) throws {
    try connection.addFunction(
      "store_blob_content",
      argumentCount: 1,
      isDeterministic: true
    ) { [weak blobs] arguments in
      // The connection keeps the function, and what reads the values keeps the connection.
      guard let blobs else { throw StoreError(MigrationFailure.outOfOrder) }
      return .blob(try blobs.data(arguments.string(at: 0)))
    }
  }

  /// Counts anew how many rows hold each value that is kept in a file beside the store.
  private static func countBlobs(_ mapping: SchemaMapping, on connection: Connection) throws {
    guard
      (mapping.oldLayouts + mapping.newLayouts).contains(where: { layout in
        layout.columns.contains(where: \.isExternal)
      })
    else { return }
    var queries = ["SELECT NULL AS \"sha256\" WHERE 0"]
    for layout in mapping.newLayouts {
      for column in layout.columns where column.isExternal {
        let condition =
          layout.sharesTable ? " AND \"_entity\" = \(literal(layout.entity.name))" : ""
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
