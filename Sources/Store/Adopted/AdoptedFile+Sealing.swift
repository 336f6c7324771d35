import Adoption
import Format
import SQLite

extension AdoptedFile {
  /// The most captured rows that a command seals that only reads.
  private static let mostForReading: Int64 = 1000

  /// Seals the captured changes of an adopted file, and creates the triggers again if tables
  /// changed.
  ///
  /// The function takes the write lock only if changes were captured or tables changed. Other
  /// programs get the lock between two batches. While another process is sealing, the function waits,
  /// at most for the timeout.
  ///
  /// `earlier` has the rows before a migration that has just run. If the caller only reads, a long
  /// backlog is not sealed.
  static func seal(
    on connection: Connection,
    blobFolder: BlobFolder?,
    timeout: Duration,
    earlier: EarlierTables? = nil,
    isForReading: Bool = false
  ) throws {
    guard let names = names(on: connection), try !ReadDatabase.isThere(on: connection) else {
      return
    }
    let mustRenew = try needsRenewal(connection)
    guard try mustRenew || needsSeal(names, on: connection) else { return }
    if isForReading {
      // If the program has changed its tables, it may have removed triggers, and then each further
      // change would be lost.
      guard try mustRenew || Capture.unsealedCount(on: connection) <= mostForReading,
        try SealingMark(on: connection)?.isAlive != true
      else { return }
    }
    // While `adopt --suspend` runs a migration, nothing is captured.
    if try Suspension(on: connection) == nil, try needsSeal(names, on: connection) {
      try BatchedSeal(connection, names: names, blobFolder: blobFolder)
        .run(until: .now + min(timeout, longestTimeout))
    }
    guard try needsRenewal(connection) else { return }
    try sealAndRenew(names, blobFolder: blobFolder, timeout: timeout, earlier, on: connection)
  }

  /// Seals what was captured since the last batch and creates the triggers again, in one transaction.
  private static func sealAndRenew(
    _ names: CaptureNames,
    blobFolder: BlobFolder?,
    timeout: Duration,
    _ earlier: EarlierTables?,
    on connection: Connection
  ) throws {
    let blobs = Blobs(connection, folder: blobFolder)
    try inTransaction(waiting: timeout, blobs: blobs, on: connection) {
      if try Suspension(on: connection) == nil {
        try Capture.sealAll(names, blobs: blobs, on: connection)
      }
      _ = try SchemaRenewal(
        connection: connection,
        names: names,
        catalog: Catalog(on: connection),
        blobs: blobs,
        earlier: earlier
      ).run()
    }
  }

  /// Runs a function with the write lock when no other process is sealing; an error rolls the
  /// transaction back.
  static func inTransaction<Result>(
    waiting timeout: Duration,
    blobs: Blobs? = nil,
    on connection: Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    try Capture.begin(waiting: timeout, on: connection)
    do {
      let result = try body()
      try blobs?.prepareToCommit()
      try connection.execute("COMMIT")
      blobs?.committed()
      return result
    } catch {
      blobs?.abandon()
      connection.rollBack()
      throw error
    }
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
    guard let names = names(on: connection), try !ReadDatabase.isThere(on: connection) else {
      return
    }
    guard try Capture.isCurrent(on: connection) else {
      throw changedMeanwhile(at: connection.path)
    }
    try Capture.sealAll(names, schema: schema, recorder: recorder, blobs: blobs, on: connection)
  }

  /// Whether the program may have changed its tables or the numbers in the header of the file.
  private static func needsRenewal(_ connection: Connection) throws -> Bool {
    guard try Capture.isCurrent(on: connection), try Suspension(on: connection) == nil else {
      return true
    }
    return try SchemaRenewal.schemaWithNewHeader(Catalog(on: connection), on: connection) != nil
  }

  private static func needsSeal(_ names: CaptureNames, on connection: Connection) throws -> Bool {
    try Capture.hasBrackets(names, on: connection) || Capture.unsealedCount(on: connection) > 0
      || SealingMark(on: connection) != nil
  }

}
