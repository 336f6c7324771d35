import Changes
import Glibc
import SQLite
import Stopping

/// Opens the connections of a store, and creates a missing store.
struct StoreFile: Sendable {
  let location: Location
  let options: Options
  /// Whether files of SQLite's log existed before the first connection created any.
  private let isInUse: Bool

  init(location: Location, options: Options) {
    self.location = location
    self.options = options
    isInUse = hasLog(location.path)
  }

  var path: String { location.path }

  /// Opens the first connection, checks the file, and creates the tables of a new store.
  ///
  /// It opens only an existing store if the schema is nil; `fit` is called before the catalog's
  /// schema is used.
  func open(
    creating schema: StoreSchema? = nil,
    fit: (inout Catalog, Connection) throws -> Void = { _, _ in }
  ) throws -> (Connection, Catalog) {
    let connection = try connect(canCreate: schema != nil)
    if let schema, try isEmpty(connection), !options.isReadOnly {
      try create(schema, on: connection)
    }
    try checkFormat(of: connection)
    if case .file = location { try checkSize(of: connection) }
    if !options.isReadOnly { try prepareForWriting(connection) }
    var catalog = try Catalog(on: connection)
    if !options.isReadOnly { try catchForeignWriters(of: catalog.schema, on: connection) }
    try fit(&catalog, connection)
    if !options.isReadOnly { try Erasure.prepare(options.historyMode, on: connection) }
    return (connection, catalog)
  }

  func connectReader() throws -> Connection {
    let connection = try connect(canCreate: false)
    try connection.execute("PRAGMA query_only = ON")
    return connection
  }

  private func connect(canCreate: Bool) throws -> Connection {
    let connection: Connection
    switch location {
    case .memory: connection = try Connection(path: path, mode: .memory)
    case .file where options.isReadOnly: connection = try connectReadOnly()
    case .file:
      connection = try Connection(path: path, mode: canCreate ? .readWriteCreate : .readWrite)
      // SQLite silently opens a file for reading that it can't write.
      guard !connection.isReadOnly else { throw FileFailure.writeProtected.at(path) }
    }
    connection.setBusyTimeout(options.busyTimeout)
    try connection.setForeignKeys(enforced: true)
    try connection.setTriggers(enabled: false)
    try options.configure?(connection)
    return connection
  }

  /// Opens a file without changing it, if possible without leaving other files.
  ///
  /// A reader needs files beside the store, which only a connection that can write removes again,
  /// so it opens one of those if permissions allow, in the mode `query_only`. If the folder can't
  /// be written and has no such files, no program writes the store.
  private func connectReadOnly() throws -> Connection {
    guard access(path, F_OK) == 0 else { throw FileFailure.missing.at(path) }
    let isWritable = mayWrite(path) && mayWrite(folder)
    let connection: Connection
    if isWritable {
      connection = try Connection(path: path, mode: .readWrite)
      if isInUse { try connection.keepWriteAheadLogOnClose() }
    } else if hasLog(path) || mayWrite(folder) {
      connection = try Connection(path: path, mode: .readOnly)
    } else {
      connection = try Connection(path: path, mode: .immutable)
    }
    try connection.execute("PRAGMA query_only = ON")
    return connection
  }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func prepareForWriting(_ connection: Connection) throws {
    if case .file = location { try switchToWriteAheadLog(connection) }
    // FULL, because a reported save must survive a power cut.
    try connection.execute(
      """
      PRAGMA synchronous = \(options.isDurable ? "FULL" : "OFF");
      PRAGMA cache_size = -16384;
      PRAGMA journal_size_limit = 67108864;
      """
    )
    if !options.isDurable {
      // A page that is often written need not be written to the file each time.
      try connection.execute("PRAGMA wal_autocheckpoint = 16384")
    }
    if let pages = options.maximumPageCount {
      try connection.execute("PRAGMA max_page_count = \(pages)")
    }
  }

  private func switchToWriteAheadLog(_ connection: Connection) throws {
    let deadline = ContinuousClock.now + min(options.busyTimeout, longestTimeout)
    while true {
      do {
        let statement = try connection.prepare("PRAGMA journal_mode = WAL")
        if try statement.step(), statement.string(at: 0) == "wal" { return }
        throw FileFailure.noWriteAheadLog.at(path)
      } catch SQLiteError.busy where ContinuousClock.now < deadline && !StopRequest.isMade {
        // SQLite does not wait for a lock here.
        sleepBriefly()
      }
    }
  }

  /// Installs what is missing to capture foreign changes.
  private func catchForeignWriters(of schema: StoreSchema, on connection: Connection) throws {
    let capture = try ForeignCapture.of(schema)
    guard try !capture.isInstalled(on: connection) else { return }
    try connection.inTransaction {
      // Another process may have migrated the store meanwhile.
      if try Catalog(on: connection).schema == schema { try capture.install(on: connection) }
    }
  }

  /// Whether no row can join the transaction of a captured row, in a store opened for reading.
  ///
  /// Another program can be about to commit earlier rows. Only the holder of the write lock can
  /// exclude that, so this takes it and releases it at once.
  func isLast(_ place: CapturedRow.Place) throws -> Bool {
    guard mayWrite(path), mayWrite(folder) else {
      return !hasLog(path) && place.isOver(at: currentMilliseconds())
    }
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.keepWriteAheadLogOnClose()
    do {
      try connection.execute("BEGIN IMMEDIATE")
    } catch SQLiteError.busy {
      return false
    }
    let isLast = try CapturedRows.isLast(place, at: currentMilliseconds(), on: connection)
    try connection.execute("ROLLBACK")
    return isLast
  }

  private func isEmpty(_ connection: Connection) throws -> Bool {
    try !connection.hasRow("SELECT 1 FROM sqlite_schema")
  }

  private func create(_ schema: StoreSchema, on connection: Connection) throws {
    // Deleted history returns its pages in small steps; the mode must be set before the first
    // table.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    try connection.execute("BEGIN EXCLUSIVE")
    do {
      // Another process may have created them first.
      if try isEmpty(connection) {
        try Catalog.create(schema, on: connection, provenance: options.provenance)
        try options.origin?.write(on: connection)
      }
      try connection.execute("COMMIT")
    } catch {
      connection.rollBack()
      throw error
    }
  }

  private func checkFormat(of connection: Connection) throws {
    let statement = try connection.prepare(
      "SELECT (SELECT application_id FROM pragma_application_id),"
        + " (SELECT user_version FROM pragma_user_version)"
    )
    guard try statement.step(), statement.int64(at: 0) == Int64(Catalog.applicationID) else {
      throw try foreignFile(connection)
    }
    let format = statement.int64(at: 1)
    guard format <= Int64(Catalog.format) else {
      throw FileFailure.newerFormat(format, known: Catalog.format).at(path)
    }
  }

  /// Throws if the file ends inside a page, which SQLite notices only when it reads that page.
  private func checkSize(of connection: Connection) throws {
    var file = stat()
    guard let size = try connection.integer("PRAGMA page_size"), stat(path, &file) == 0,
      size > 0, Int64(file.st_size) % size != 0
    else { return }
    throw FileFailure.cutOff(bytes: Int(file.st_size)).at(path)
  }

  private func foreignFile(_ connection: Connection) throws -> StoreError {
    if try isEmpty(connection) { return FileFailure.empty.at(path) }
    let isApple =
      try connection.hasRow("SELECT 1 FROM sqlite_schema WHERE name = 'Z_METADATA'")
    return StoreError(isApple ? FileFailure.appleStore : .foreignDatabase, path: path)
  }
}

/// Whether files of SQLite's log exist, or the journal of a killed import.
private func hasLog(_ path: String) -> Bool {
  ["-wal", "-shm", "-journal"].contains { access(path + $0, F_OK) == 0 }
}

/// Whether the effective user can write a file.
private func mayWrite(_ path: String) -> Bool {
  faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
}
