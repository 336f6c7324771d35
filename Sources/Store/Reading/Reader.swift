import Changes
import FoundationEssentials
import SQLite

/// Reads a store through one connection, which has the functions and collations of
/// ``Options/configure``; for one thread at a time.
package final class Reader {
  /// It can write only temporary tables.
  package let connection: Connection
  private let database: Connection
  package let layouts: [EntityLayout]
  /// Whether it shares the writer's connection, because the store is in memory.
  package let isShared: Bool
  package enum Head: Hashable, Sendable {
    /// Zero if there is none.
    case transaction(Int64)
    /// A captured row, which is in no transaction yet.
    case unsealed(row: Int64)
  }

  /// The end of the history that is read; it differs after each change.
  package private(set) var head = Head.transaction(0)
  /// Another reader of the same state, for a second thread, if the caller asked for it and no
  /// program wrote meanwhile.
  package internal(set) var companion: Reader?
  let blobFolder: BlobFolder?
  /// The large values of the current object of a snapshot.
  var passing: PassingValues?
  private(set) lazy var history = HistoryRows(connection)
  private let configure: (@Sendable (Connection) throws -> Void)?
  private let isLast: (CapturedRow.Place) throws -> Bool
  private var unsealed: UnsealedHistory??
  private var hasTemporaryTables = false

  init(
    connection: Connection,
    layouts: [EntityLayout],
    isShared: Bool,
    blobFolder: BlobFolder?,
    configure: (@Sendable (Connection) throws -> Void)?,
    isLast: @escaping (CapturedRow.Place) throws -> Bool
  ) {
    self.configure = configure
    self.isLast = isLast
    self.blobFolder = blobFolder
    database = connection
    self.connection = Connection(sharing: connection)
    self.layouts = layouts
    self.isShared = isShared
  }

  /// Starts a snapshot: later reads see one state of the store, unless it is in memory.
  func begin() throws {
    unsealed = nil
    if !isShared { try database.execute("BEGIN") }
    // The snapshot is of the first read, so it reads now.
    try readHead()
  }

  /// Reads the head again, which can differ without a snapshot.
  package func readHead() throws {
    let last = "SELECT (SELECT max(id) FROM history_transaction)"
    do {
      head = try head("\(last), (SELECT max(id) FROM history_foreign)")
    } catch SQLiteError.error {
      // A store that was not opened for writing since the table was dropped is read without it.
      head = try head("\(last), NULL")
    }
  }

  private func head(_ sql: String) throws -> Head {
    try connection.first(sql) {
      $0.isNull(at: 1) ? .transaction($0.int64(at: 0)) : .unsealed(row: $0.int64(at: 1))
    } ?? .transaction(0)
  }

  /// A number that differs after each commit of another connection.
  func version() throws -> Int64 { try connection.dataVersion() }

  /// The unsealed foreign changes.
  func unsealedHistory() throws -> UnsealedHistory? {
    if !isShared, let unsealed { return unsealed }
    let made = try UnsealedHistory(
      of: connection,
      history: history,
      folder: blobFolder,
      configure: configure,
      isLast: isLast
    )
    unsealed = .some(made)
    return made
  }

  /// Whether another program changed rows that this history does not show.
  package func hasUnshownChanges() throws -> Bool {
    guard try UnsealedHistory.hasTable(connection) else { return false }
    let last = try connection.integer("SELECT max(\"id\") FROM \"history_foreign\"") ?? 0
    return try last > (unsealedHistory()?.lastCaught ?? 0)
  }

  /// Ends the snapshot and all unfinished reads.
  func end() throws {
    unsealed = nil
    connection.resetCachedStatements()
    guard !isShared else { return }
    if hasTemporaryTables { try database.execute("PRAGMA query_only = ON") }
    hasTemporaryTables = false
    guard database.isInTransaction else { return }
    database.resetStatements()
    try database.execute("ROLLBACK")
  }

  /// Lets ``connection`` write temporary tables and see the newest rows, until the reader is given
  /// back.
  package func allowTemporaryTables() throws {
    guard !isShared else { return }
    hasTemporaryTables = true
    if database.isInTransaction { try database.execute("COMMIT") }
    // To SQLite temporary tables are writes.
    try database.execute("PRAGMA query_only = OFF")
  }

  /// The bytes of an external attribute whose column contains a digest.
  ///
  /// A writer can remove the value while a reader is held.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` if the file is missing.
  package func externalData(_ digest: String) throws -> Data {
    if let data = try passing?.blobs.data(inMemory: digest) ?? blobFolder?.read(digest)
      ?? unsealedHistory()?.blobs.data(inMemory: digest)
    {
      return data
    }
    throw BlobFailure.missing(digest: digest).at(connection.path)
  }

  /// The bytes of a large value of history.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` if it is missing.
  package func largeData(_ digest: String) throws -> Data {
    if blobFolder != nil { return try externalData(digest) }
    guard
      let data = try passing?.blobs.data(inMemory: digest)
        ?? Blobs.data(digest, on: connection)
    else { throw BlobFailure.missing(digest: digest).at(connection.path) }
    return data
  }

  /// A large value of history, to be read in parts.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` if it is missing.
  package func largeValue(_ digest: String) throws -> LargeValue {
    if let data = try passing?.blobs.data(inMemory: digest) { return .bytes(data) }
    if let blobFolder, blobFolder.contains(digest) { return .file(blobFolder.file(digest)) }
    return .bytes(try largeData(digest))
  }

  /// Makes the state that the reader shows durable.
  package func sync() throws { try connection.sync() }

  /// Starts a newer snapshot.
  package func refresh() throws {
    try end()
    try begin()
  }
}
