import Format
import FoundationEssentials
import SQLite

/// Reads a store through one connection, for one thread at a time.
///
/// ``Options/configure`` adds functions and collations to the connection.
package final class Reader {
  /// A connection that can write only temporary tables.
  package let connection: Connection
  private let database: Connection
  /// The entities of the rows: those of the store, or those of the point.
  package private(set) var layouts: [EntityLayout]
  private let presentLayouts: [EntityLayout]
  /// Whether the connection is also the writer's, because the store is in memory.
  package let isShared: Bool
  package struct Head: Hashable, Sendable {
    /// The last transaction; zero if there is none.
    package var transaction: Int64 = 0
    /// The number of changes that were captured.
    package var clock: Int64 = 0

    package init(transaction: Int64 = 0, clock: Int64 = 0) {
      (self.transaction, self.clock) = (transaction, clock)
    }
  }

  /// The end of the history that this reader sees; each commit moves it.
  package private(set) var head = Head()
  /// A second reader of the same state, for another thread.
  ///
  /// Nil if the caller did not ask for a second reader, if the store is in memory, or if another
  /// program writes again and again.
  package internal(set) var companion: Reader?
  let blobFolder: BlobFolder?
  /// The large values of the current object during ``snapshot(_:)``.
  var passing: PassingValues?
  private(set) lazy var history = HistoryRows(connection)
  /// The last transaction whose changes the rows show; nil for the rows that exist now.
  let point: Int64?
  /// The rows of the point.
  private var shown: ShownRows?
  private var hasTemporaryTables = false
  /// This query is run at each read, so its text is composed only once.
  private lazy var queryForHead = """
    SELECT (SELECT max(id) FROM \(connection.tables.transaction)),
      (SELECT max(clock) FROM \(connection.captureNames.context))
    """

  init(
    connection: Connection,
    layouts: [EntityLayout],
    isShared: Bool,
    blobFolder: BlobFolder?,
    point: Int64? = nil
  ) {
    self.blobFolder = blobFolder
    self.point = point
    database = connection
    self.connection = Connection(sharing: connection)
    (self.layouts, presentLayouts) = (layouts, layouts)
    self.isShared = isShared
  }

  /// Starts a snapshot.
  ///
  /// All later reads see the same state of the store, unless the store is in memory.
  func begin() throws {
    if !isShared { try database.cached("BEGIN").run() }
    // SQLite takes the snapshot at the first read.
    try readHead()
    if let point, head != shown?.head { try show(point) }
  }

  /// Lets all statements read the rows after a transaction.
  ///
  /// The rows are made from those that exist now, so they are made again after each commit.
  private func show(_ point: Int64) throws {
    if !hasTemporaryTables { try database.execute("PRAGMA query_only = OFF") }
    layouts = presentLayouts
    let rows = try ShownRows(of: self, after: point, replacing: shown)
    if connection.tables.prefix != nil { layouts = try rows.schema.layouts() }
    shown = rows
    if !hasTemporaryTables { try database.execute("PRAGMA query_only = ON") }
  }

  /// The schema of the point; nil for a reader of the rows that exist now.
  package var schemaAtPoint: StoreSchema? { shown?.schema }

  /// The values of rows at the point that are NULL because they were erased; nil for a reader of the
  /// rows that exist now.
  var erasedAtPoint: [RowKey: [ColumnIndex: Int64]]? { shown?.erased }

  /// The quoted column with the order of the rows at the point.
  func order(of layout: EntityLayout) -> String? { shown?.orders[layout.entity.name] }

  /// The keys of all rows that can differ between two states of one store, in ascending order.
  ///
  /// These are the rows that changed after the earlier state. The result is nil if all rows must be
  /// compared.
  ///
  /// `tables` has the quoted names of the tables.
  func changedKeys(of tables: [String], until other: Reader) throws -> Statement? {
    guard connection.path == other.connection.path, head == other.head else { return nil }
    let (first, last) = (point ?? .max) <= (other.point ?? .max) ? (self, other) : (other, self)
    let isSame = tables.allSatisfy { last.shown == nil || last.shown?.changedKeys[$0] != nil }
    guard let shown = first.shown, isSame else { return nil }
    let keys = tables.compactMap { shown.changedKeys[$0] }
    guard keys.count == tables.count else { return nil }
    return try first.connection.prepare(keys.joined(separator: " UNION ") + " ORDER BY 1")
  }

  /// Reads the head again.
  ///
  /// Without a snapshot, the head can have changed.
  package func readHead() throws {
    do {
      head = try head(queryForHead)
    } catch SQLiteError.error {
      // The table with the clock is missing; the next opening for writing creates it.
      head = try head("SELECT (SELECT max(id) FROM \(connection.tables.transaction)), 0")
    }
  }

  private func head(_ sql: String) throws -> Head {
    try connection.first(sql) { Head(transaction: $0.int64(at: 0), clock: $0.int64(at: 1)) }
      ?? Head()
  }

  /// A number that changes with each commit of another connection.
  func version() throws -> Int64 { try connection.dataVersion() }

  /// Whether another program changed rows in a way that ``history(after:through:)`` does not show
  /// yet.
  package func hasUnshownChanges() throws -> Bool { try unshownChanges() > 0 }

  /// The number of captured rows that ``history(after:through:)`` does not show yet.
  package func unshownChanges() throws -> Int64 {
    try Capture.unsealedCount(on: connection)
  }

  /// The database that this history file follows, the time of the last reading, and its age in seconds;
  /// nil for another store.
  package func followedDatabase() throws -> (path: String, time: String, age: Double)? {
    guard let known = try ReadDatabase(on: connection) else { return nil }
    let age = readTime(known.time).map { max(0, -$0.timeIntervalSinceNow) } ?? 0
    return (known.path, known.time, age)
  }

  /// What is known of the store of Core Data or SwiftData that this history file follows; nil for
  /// another store.
  package func appleFacts() throws -> AppleFacts? {
    try AppleProgress(on: connection).map { AppleFacts($0) }
  }

  /// The number of commits of an adopted file that changed recorded tables without the triggers, as
  /// far as the write-ahead log shows.
  package func uncapturedCommits() throws -> Int64 {
    guard let names = AdoptedFile.names(on: connection) else { return 0 }
    return try CommitPlace.uncapturedCommits(names: names, on: connection)
  }

  /// Runs a function during which SQLite does not compute CHECK constraints.
  func ignoringChecks<Result>(_ body: () throws -> Result) throws -> Result {
    try database.execute("PRAGMA ignore_check_constraints = ON")
    let result = Swift.Result { try body() }
    try database.execute("PRAGMA ignore_check_constraints = OFF")
    return try result.get()
  }

  /// Ends the snapshot and all unfinished reads.
  package func end() throws {
    connection.resetCachedStatements()
    guard !isShared else { return }
    if hasTemporaryTables { try database.execute("PRAGMA query_only = ON") }
    hasTemporaryTables = false
    guard database.isInTransaction else { return }
    database.resetStatements()
    // The rows of a point are in temporary tables, which a rollback would remove.
    try database.cached(shown?.head == head ? "COMMIT" : "ROLLBACK").run()
  }

  /// Lets the connection write temporary tables until the reader is returned.
  ///
  /// A reader of the rows that exist now also sees later commits.
  package func allowTemporaryTables() throws {
    guard !isShared else { return }
    hasTemporaryTables = true
    if database.isInTransaction { try database.execute("COMMIT") }
    // The mode `query_only` does not allow writes to temporary tables.
    try database.execute("PRAGMA query_only = OFF")
    if point != nil { try begin() }
  }

  /// The bytes of an external attribute whose column contains this digest.
  ///
  /// A writer can remove the blob file although this reader still sees the row.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` if the file is missing.
  package func externalData(_ digest: String) throws -> Data {
    if let data = try passing?.blobs.data(inMemory: digest) ?? blobFolder?.read(digest) {
      return data
    }
    throw missingValue(digest, at: connection.path)
  }

  /// The bytes of a large value in history.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` if the value is missing.
  package func largeData(_ digest: String) throws -> Data {
    if blobFolder != nil { return try externalData(digest) }
    guard
      let data = try passing?.blobs.data(inMemory: digest)
        ?? Blobs.data(digest, on: connection)
    else { throw missingValue(digest, at: connection.path) }
    return data
  }

  /// A large value in history, which the caller reads in parts.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` if the value is missing.
  package func largeValue(_ digest: String) throws -> LargeValue {
    if let data = try passing?.blobs.data(inMemory: digest) { return .bytes(data) }
    if let blobFolder, blobFolder.contains(digest) { return .file(blobFolder.file(digest)) }
    return .bytes(try largeData(digest))
  }

  /// Syncs the files, so that the state that this reader sees is durable.
  package func sync() throws { try connection.sync() }

  /// Ends the snapshot, and starts a newer one.
  package func refresh() throws {
    try end()
    try begin()
  }

  /// Calls a function that writes to the store, and continues with a newer snapshot.
  ///
  /// If the store has a rollback journal, no program can commit while a reader has a snapshot.
  package func withoutSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try end()
    let result = try body()
    try begin()
    return result
  }
}
