import Changes
import FoundationEssentials
import SQLite

/// Reads a store: one connection, with the functions and collations that were asked for.
///
/// A reader is used by one thread at a time.
package final class Reader {
  /// Reads what the reader sees, and writes only temporary tables.
  package let connection: Connection
  private let database: Connection
  /// How the entities lie in their tables.
  package let layouts: [EntityLayout]
  /// Whether the connection is that of the writer: the store is in memory.
  package let isShared: Bool
  /// How far the history reaches in what is read.
  package enum Head: Hashable, Sendable {
    /// To a transaction; zero where there is none.
    case transaction(Int64)
    /// To a row with a change of another program, which is in no transaction yet.
    case unsealed(row: Int64)
  }

  /// How far the history reaches in what is read; it differs after each change.
  package private(set) var head = Head.transaction(0)
  /// Another reader of the very state that this one sees, for a second thread.
  ///
  /// There is one where it was asked for and nobody wrote meanwhile.
  package internal(set) var companion: Reader?
  let blobFolder: BlobFolder?
  /// Large values of the object that a snapshot tells of.
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

  /// Takes a snapshot: what is read from now on is one state of the store.
  ///
  /// In memory there is one connection for all, so that a reader sees what is written meanwhile.
  func begin() throws {
    unsealed = nil
    if !isShared { try database.execute("BEGIN") }
    // The snapshot is that of the first read, which is to be now.
    try readHead()
  }

  /// Reads again which transaction is the last one; it may be another where there is no snapshot.
  package func readHead() throws {
    let last = "SELECT (SELECT max(id) FROM history_transaction)"
    do {
      head = try head("\(last), (SELECT max(id) FROM history_foreign)")
    } catch SQLiteError.error {
      // A store that nobody has opened for writing since the table was dropped is read without.
      head = try head("\(last), NULL")
    }
  }

  private func head(_ sql: String) throws -> Head {
    try connection.first(sql) {
      $0.isNull(at: 1) ? .transaction($0.int64(at: 0)) : .unsealed(row: $0.int64(at: 1))
    } ?? .transaction(0)
  }

  /// A number that is another one after each commit of somebody else, as this reader sees it.
  func version() throws -> Int64 { try connection.dataVersion() }

  /// The transactions of writers that are not ours which nobody has sealed yet.
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

  /// Whether rows were changed by somebody else, and this history does not show it.
  package func hasUnshownChanges() throws -> Bool {
    guard try UnsealedHistory.hasTable(connection) else { return false }
    let last = try connection.integer("SELECT max(\"id\") FROM \"history_foreign\"") ?? 0
    return try last > (unsealedHistory()?.lastCaught ?? 0)
  }

  /// Lets the snapshot go, and with it all that was half read.
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

  /// Lets ``connection`` write temporary tables, and see the newest rows instead of one state of
  /// the store, until the reader is given back.
  package func allowTemporaryTables() throws {
    guard !isShared else { return }
    hasTemporaryTables = true
    if database.isInTransaction { try database.execute("COMMIT") }
    // SQLite counts temporary tables as writing.
    try database.execute("PRAGMA query_only = OFF")
  }

  /// The bytes of an external attribute whose column holds a digest instead of a blob.
  ///
  /// A reader that is held while others write may find that the value was removed meanwhile.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` where the file is gone.
  package func externalData(_ digest: String) throws -> Data {
    if let data = try passing?.blobs.data(inMemory: digest) ?? blobFolder?.read(digest)
      ?? unsealedHistory()?.blobs.data(inMemory: digest)
    {
      return data
    }
    throw BlobFailure.missing(digest: digest).at(connection.path)
  }

  /// The bytes of a value that history keeps by its digest, because it is large.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` where it is gone.
  package func largeData(_ digest: String) throws -> Data {
    if blobFolder != nil { return try externalData(digest) }
    guard
      let data = try passing?.blobs.data(inMemory: digest)
        ?? Blobs.data(digest, on: connection)
    else { throw BlobFailure.missing(digest: digest).at(connection.path) }
    return data
  }

  /// A value that history keeps by its digest, to be read piece by piece.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` where it is gone.
  package func largeValue(_ digest: String) throws -> LargeValue {
    if let data = try passing?.blobs.data(inMemory: digest) { return .bytes(data) }
    if let blobFolder, blobFolder.contains(digest) { return .file(blobFolder.file(digest)) }
    return .bytes(try largeData(digest))
  }

  /// Makes sure that what the reader shows outlasts a power cut.
  package func sync() throws { try connection.sync() }

  /// Takes a newer snapshot.
  package func refresh() throws {
    try end()
    try begin()
  }
}
