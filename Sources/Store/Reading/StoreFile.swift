import Changes
import FoundationEssentials
import Glibc
import SQLite
import Stopping

/// Opens the connections of a store, and makes the store where there is none.
struct StoreFile: Sendable {
  let location: Location
  let options: Options
  /// Whether files of SQLite's log lay beside the store before the first connection made any.
  private let isInUse: Bool

  init(location: Location, options: Options) {
    self.location = location
    self.options = options
    isInUse = hasLog(location.path)
  }

  var path: String { location.path }

  /// Opens the first connection, checks the file, and creates the tables of a new store.
  ///
  /// - Parameters:
  ///   - schema: The schema of a new store; nil to open only a store that exists.
  ///   - fit: Called with the catalog of the store before anything else uses its schema.
  /// - Returns: The connection and the catalog.
  /// - Throws: ``StoreError``.
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

  /// Opens one more connection for reading a file.
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
      // SQLite opens what it can't write for reading, without a word.
      guard !connection.isReadOnly else { throw FileFailure.writeProtected.at(path) }
    }
    connection.setBusyTimeout(options.busyTimeout)
    try connection.setForeignKeys(enforced: true)
    try connection.setTriggers(enabled: false)
    try options.configure?(connection)
    return connection
  }

  /// Opens a file that is not to be changed, and leaves no other files where that can be.
  ///
  /// A reader needs files beside the store, which only a connection that may write takes away
  /// again; so that is what is opened where permissions allow it, and told to change nothing. Where
  /// the folder can't be written and nobody has such files there, nobody writes the store either.
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
    // FULL, because a save that was reported must be there after a power cut.
    try connection.execute(
      """
      PRAGMA synchronous = \(options.isDurable ? "FULL" : "OFF");
      PRAGMA cache_size = -16384;
      PRAGMA journal_size_limit = 67108864;
      """
    )
    if !options.isDurable {
      // A page that is written again and again need not go into the file each time.
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
        // SQLite does not wait for a lock here, so that we do.
        sleepBriefly()
      }
    }
  }

  /// Makes sure that what writers do that are not ours is caught.
  private func catchForeignWriters(of schema: StoreSchema, on connection: Connection) throws {
    let capture = try ForeignCapture.of(schema)
    guard try !capture.isInstalled(on: connection) else { return }
    try connection.inTransaction {
      // Another process may have migrated the store meanwhile.
      if try Catalog(on: connection).schema == schema { try capture.install(on: connection) }
    }
  }

  /// Tells of a row that was caught, in a store that is not to be written, whether nothing can join
  /// its transaction any more.
  ///
  /// Somebody may be about to commit rows that were caught before now. Only who could get the lock
  /// for writing knows that nobody is; it is let go at once.
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
    // Deleted history gives its pages back a few at a time; it has to be said before the first table.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    try connection.execute("BEGIN EXCLUSIVE")
    do {
      // Another process may have been quicker.
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

  /// Fails where the file ends inside a page, which SQLite does not mind until it reads that page.
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

/// Whether files of SQLite's log lie beside a store, or the journal of an import that was killed.
private func hasLog(_ path: String) -> Bool {
  ["-wal", "-shm", "-journal"].contains { access(path + $0, F_OK) == 0 }
}

/// Whether permissions let this process write, by the user it acts as.
private func mayWrite(_ path: String) -> Bool {
  faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
}
