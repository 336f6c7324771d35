import Format
import Glibc
import SQLite
import Stopping

/// Opens the connections of a store, and creates the store if it is missing.
struct StoreFile: Sendable {
  let location: Location
  let options: Options
  /// Whether a write-ahead log existed before this process opened the store.
  private let isInUse: Bool
  /// The state of a store that was opened for reading, when this process opened it.
  private let opened: FileState?
  /// The prefix of Travelog's tables in an adopted file; nil in a store of the library.
  var prefix: String?

  init(location: Location, options: Options) {
    self.location = location
    self.options = options
    isInUse = hasLog(location.path)
    opened = options.isReadOnly && !isInUse ? FileState(location.path) : nil
  }

  var path: String { location.path }

  /// Opens the first connection, checks the file, and creates the tables of a new store.
  ///
  /// If the schema is nil, the store must exist. `fit` is called before the schema in the catalog
  /// is used.
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
    let isReplica = try Catalog.value("replica", on: connection) == .integer(1)
    let isFollower = try ReadDatabase.isThere(on: connection)
    let isForeign = connection.tablePrefix != nil && !isReplica && !isFollower
    if isFollower { try readDatabase(connection) }
    if options.isReadOnly {
      if isForeign { try sealForReading(connection) }
    } else if isForeign {
      try connection.execute("PRAGMA synchronous = FULL")
      try AdoptedFile.seal(
        on: connection,
        blobFolder: location.blobFolder,
        timeout: options.busyTimeout
      )
    } else {
      try prepareForWriting(connection)
    }
    var catalog = try Catalog(on: connection)
    if options.isReadOnly {
      if !catalog.schema.belongsToProgram, !isReplica,
        try StoreCapture.isAnythingWaiting(on: connection)
      {
        try sealForReading(connection)
      }
    } else if let capture = try StoreCapture.of(catalog.schema) {
      try catchForeignWriters(of: catalog.schema, capture, on: connection)
    } else if isReplica || isFollower {
      // The program may have violated its constraints, or its version of SQLite may compute them
      // differently. Logs with such rows must be replayed unchanged.
      try connection.execute("PRAGMA ignore_check_constraints = ON")
    }
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
      // If SQLite can't open a file for writing, it opens it for reading and reports no error.
      guard !connection.isReadOnly else { throw writeProtected(at: path) }
    }
    connection.triesLocksOften = options.triesLocksOften
    connection.setBusyTimeout(options.busyTimeout)
    try connection.setForeignKeys(enforced: true)
    try connection.setTriggers(enabled: false)
    try options.configure?(connection)
    if let prefix { try connection.useTables(prefix: prefix) }
    return connection
  }

  /// Seals captured changes, so that a reader sees them.
  ///
  /// A reader does not wait for a program that writes. Changes that can't be sealed now are sealed
  /// later.
  ///
  /// - Returns: Whether everything that was captured is sealed.
  @discardableResult
  func sealForReading(_ connection: Connection) throws -> Bool {
    guard case .file = location, mayWrite(path), mayWrite(location.folder) else { return false }
    let writer = try Connection(path: path, mode: .readWrite)
    guard !writer.isReadOnly else { return false }
    writer.setBusyTimeout(.seconds(1))
    try writer.execute("PRAGMA synchronous = FULL")
    try writer.setTriggers(enabled: false)
    if isInUse { try writer.keepWriteAheadLogOnClose() }
    do {
      guard let prefix = connection.tablePrefix else {
        try options.configure?(writer)
        let blobs = Blobs(writer, folder: location.blobFolder)
        try writer.inTransaction(abandoned: blobs.abandon) {
          try StoreCapture.seal(on: writer, blobs: blobs)
          try blobs.prepareToCommit()
        }
        blobs.committed()
        return true
      }
      try writer.useTables(prefix: prefix)
      try AdoptedFile.seal(
        on: writer,
        blobFolder: location.blobFolder,
        timeout: options.busyTimeout,
        isForReading: !options.sealsBacklog
      )
      return true
    } catch SQLiteError.busy {
      // The program is writing, so the changes are sealed later.
      return false
    } catch SQLiteError.full {
      // A store can also be read if there is no space left.
      return false
    }
  }

  /// Reads what is new in the database that a history file follows.
  ///
  /// If this user may not write to the history file, or if another process is writing to it, nothing is
  /// read.
  private func readDatabase(_ connection: Connection) throws {
    guard !options.skipsReading, case .file = location, mayWrite(path), mayWrite(location.folder)
    else { return }
    let writer = try connectReading()
    do {
      var reading = DatabaseReading(
        connection: writer,
        location: location,
        path: options.database
      )
      reading.acceptsGap = options.acceptsGap
      try reading.run()
    } catch SQLiteError.busy where options.isReadOnly {
      // Another process reads the same database.
    }
  }

  /// Opens a connection that reads a database into this history file.
  func connectReading() throws -> Connection {
    let writer = try Connection(path: path, mode: .readWrite)
    guard !writer.isReadOnly else { throw writeProtected(at: path) }
    writer.setBusyTimeout(options.isReadOnly ? .seconds(1) : options.busyTimeout)
    // The database can have rows that violate its constraints.
    try writer.execute("PRAGMA synchronous = FULL; PRAGMA ignore_check_constraints = ON")
    try writer.setTriggers(enabled: false)
    try writer.setForeignKeys(enforced: false)
    if isInUse { try writer.keepWriteAheadLogOnClose() }
    if let prefix = try AdoptedFile.prefix(on: writer) { try writer.useTables(prefix: prefix) }
    return writer
  }

  /// Opens a file without changing it, and without leaving other files.
  ///
  /// If the store has a write-ahead log, SQLite creates files beside the store for a reader, and only
  /// a connection that can write removes them. So the connection can write if permissions allow it,
  /// but is in the mode `query_only`. Otherwise, if no such files exist, no program is writing to the
  /// store, and it is opened as immutable. Files that SQLite would create could belong to another
  /// user than the store, and then the owner of the store could not write to it any more.
  private func connectReadOnly() throws -> Connection {
    guard access(path, F_OK) == 0 else { throw missingFile(at: path) }
    let isWritable = mayWrite(path) && mayWrite(location.folder)
    var connection = try Connection(path: path, mode: isWritable ? .readWrite : .readOnly)
    if isWritable {
      if isInUse { try connection.keepWriteAheadLogOnClose() }
    } else if !isInUse, try connection.isForWriteAheadLog {
      connection = try Connection(path: path, mode: .immutable)
    }
    try connection.execute("PRAGMA query_only = ON")
    return connection
  }

  /// Throws if another program wrote to a file that was opened as immutable.
  ///
  /// The values that were read may then belong to different states of the store.
  func checkIsUnchanged(_ connection: Connection) throws {
    guard connection.isImmutable, FileState(path) != opened else { return }
    throw StoreError(.locked, at: path) {
      "Another program changed the store \(path) while it was read, and this user has no permission"
        + " to lock it.\nTry again when the other program has finished."
    }
  }

  private func prepareForWriting(_ connection: Connection) throws {
    if case .file = location { try switchToWriteAheadLog(connection) }
    // With `synchronous = FULL`, a save that was reported as done survives a power cut.
    try connection.execute(
      """
      PRAGMA synchronous = \(options.isDurable ? "FULL" : "OFF");
      PRAGMA cache_size = -16384;
      PRAGMA journal_size_limit = 67108864;
      """
    )
    if !options.isDurable {
      // With this higher limit, a page that changes often is copied less often from the log to the
      // file.
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
        throw StoreError(.readOnly, at: path) {
          "SQLite can't create a write-ahead log for the store \(path)."
            + "\nMove the store to a local file system."
        }
      } catch SQLiteError.busy where ContinuousClock.now < deadline && !StopRequest.isMade {
        // For this lock, SQLite ignores the busy timeout. So the loop waits.
        sleepBriefly()
      }
    }
  }

  /// Installs the missing triggers and tables that capture foreign changes.
  private func catchForeignWriters(
    of schema: StoreSchema,
    _ capture: StoreCapture,
    on connection: Connection
  ) throws {
    guard try !capture.isInstalled(on: connection) else { return }
    try connection.inTransaction {
      // If another process has migrated the store meanwhile, these triggers are wrong and not
      // installed.
      if try Catalog(on: connection).schema == schema { try capture.install(on: connection) }
    }
  }

  private func create(_ schema: StoreSchema, on connection: Connection) throws {
    // In the mode `INCREMENTAL`, SQLite can free the pages of deleted history in small steps. The
    // mode must be set before the first table exists.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    try connection.execute("BEGIN EXCLUSIVE")
    do {
      // Another process may have created the tables meanwhile.
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
    let format: Int64
    if try statement.step(), statement.int64(at: 0) == Int64(Catalog.applicationID) {
      format = statement.int64(at: 1)
    } else if let prefix = try AdoptedFile.prefix(on: connection) {
      try connection.useTables(prefix: prefix)
      guard case .integer(let number) = try Catalog.value("format", on: connection) else {
        throw Catalog.damaged(at: path)
      }
      format = number
    } else {
      throw try foreignFile(connection)
    }
    guard format <= Int64(Catalog.format) else {
      throw StoreError(.newerFormat, at: path) {
        "The store \(path) has format \(format); this program reads formats up to"
          + " \(Catalog.format)."
      }
    }
  }

  /// Throws if the file ends inside a page.
  ///
  /// SQLite itself notices an incomplete page only when it reads the page.
  private func checkSize(of connection: Connection) throws {
    var file = stat()
    guard let size = try connection.integer("PRAGMA page_size"), stat(path, &file) == 0,
      size > 0, Int64(file.st_size) % size != 0
    else { return }
    throw StoreError(.damaged, at: path) {
      "The store \(path) is damaged: the file was cut off at \(file.st_size) bytes."
    }
  }

  private func foreignFile(_ connection: Connection) throws -> StoreError {
    if try isEmpty(connection) {
      return StoreError(.notAStore, at: path) {
        "\(path) is empty; no program has created a store in this file yet."
          + "\nGive the path of a store. Programs that use Travelog create stores."
      }
    }
    return StoreError(.notAStore, at: path) {
      "\(path) is a SQLite database without Travelog history."
        + "\nTo add a history: travelog adopt \(path)"
    }
  }
}

func isEmpty(_ connection: Connection) throws -> Bool {
  try !connection.hasRow("SELECT 1 FROM sqlite_schema")
}

/// What changes if a program writes to a store.
private struct FileState: Equatable {
  private let inode: ino_t
  private let size: off_t
  private let seconds: Int
  private let nanoseconds: Int
  private let isInUse: Bool

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = status.st_ino
    size = status.st_size
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
    isInUse = hasLog(path)
  }
}

/// Whether a write-ahead log exists, or a journal that a killed import left.
private func hasLog(_ path: String) -> Bool {
  ["-wal", "-shm", "-journal"].contains { access(path + $0, F_OK) == 0 }
}

/// Whether the effective user has the permission to write to a file.
func mayWrite(_ path: String) -> Bool {
  faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
}
