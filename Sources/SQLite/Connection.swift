import CSQLite
import Glibc
import Stopping

/// An open database.
///
/// Only one thread at a time may use a connection.
package final class Connection {
  package enum Mode: Hashable, Sendable {
    /// Opens a file, and creates it if it is missing.
    case readWriteCreate
    case readWrite
    case readOnly
    /// Opens a file that does not change. SQLite takes no locks, and creates no files beside it.
    case immutable
    /// Opens a separate database in memory. The path is ignored.
    case memory
  }

  /// What new statements may do.
  private enum Permission {
    case all
    /// They may change only temporary tables.
    case temporary
    /// They may only read.
    case reading
  }

  let database: OpaquePointer
  /// The path of the file; `:memory:` for a database in memory.
  package let path: String
  /// Whether SQLite takes no locks, because the file is expected not to change.
  package let isImmutable: Bool
  private let owner: Connection?
  /// What new statements may do.
  private var permission = Permission.all
  private var hasAuthorizer = false
  /// When the statements of ``limitTime(to:)`` fail; nil if their time is not limited.
  private var deadline: ContinuousClock.Instant?
  private var ownBusyTimeout = 0
  /// Whether a statement that waits for a lock tries to get the lock twice in each millisecond.
  ///
  /// Otherwise it tries less and less often, and never gets a lock that other programs release
  /// only for moments. The next call of ``setBusyTimeout(milliseconds:)`` uses a new value.
  package var triesLocksOften = false
  private var ownTablePrefix: String?
  private var ownEncoding = Connection.utf8
  private var statements: [String: Statement] = [:]
  weak var changedPages: ChangedPages?

  /// The version of SQLite, such as 3.40.1.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// Disables SQLite's memory statistics, which take a lock for each allocation, if SQLite is not
  /// initialized yet.
  package static func skipMemoryStatistics() {
    // The call fails if SQLite is already in use. The statistics then remain enabled.
    _ = travelog_sqlite_set_memory_statistics(0)
  }

  /// Returns large freed allocations to the system at once.
  package static func returnLargeMemory() { travelog_return_large_memory() }

  package convenience init(path: String, mode: Mode) throws {
    var flags: Int32
    // SQLite would read some names as a URI, or as a database in memory.
    var name = path.hasPrefix("file:") || path.hasPrefix(":") ? "./" + path : path
    var status = stat()
    // SQLite would wait until another program opens the pipe.
    guard mode == .memory || stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFIFO else {
      throw SQLiteError(code: SQLiteError.notADatabase, message: "the file is a pipe", path: path)
    }
    switch mode {
    case .readWriteCreate:
      flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    case .readWrite: flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    case .readOnly: flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
    case .immutable:
      flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
      name = "file:" + percentEncoded(path) + "?immutable=1"
    case .memory:
      // Several wrappers can share a database in memory, so the database uses SQLite's own locks.
      flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
      name = ":memory:"
    }
    try self.init(
      path: mode == .memory ? ":memory:" : path,
      name: name,
      flags: flags,
      fileSystem: nil,
      isImmutable: mode == .immutable
    )
  }

  /// Opens a file by its name in one of SQLite's file systems; nil is the default system.
  init(path: String, name: String, flags: Int32, fileSystem: String?, isImmutable: Bool) throws {
    self.path = path
    self.isImmutable = isImmutable
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_EXRESCODE, fileSystem)
    guard code == SQLITE_OK, let opened, travelog_sqlite_refuse_quoted_texts(opened) == SQLITE_OK
    else {
      let error = SQLiteError(code, database: opened, path: path)
      sqlite3_close_v2(opened)
      throw error
    }
    database = opened
    owner = nil
    // SQLite calls the handler after this number of steps. The rollback after a request to stop
    // takes fewer steps, so it is not interrupted.
    sqlite3_progress_handler(opened, 10_000, { _ in StopRequest.isMade ? 1 : 0 }, nil)
  }

  /// Creates a second wrapper of an open database, with its own prepared statements for reading.
  ///
  /// Statements that change more than temporary tables fail with ``SQLiteError/readOnly``.
  package init(sharing owner: Connection) {
    let owner = owner.owner ?? owner
    self.owner = owner
    database = owner.database
    path = owner.path
    isImmutable = owner.isImmutable
  }

  private func installAuthorizer() {
    guard !hasAuthorizer else { return }
    hasAuthorizer = true
    // The result is ignored, because the call fails only if the connection is used wrongly.
    sqlite3_set_authorizer(
      database,
      { connection, action, object, argument, schema, _ in
        guard let connection else { return SQLITE_OK }
        let permission = Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue()
          .permission
        guard permission != .all else { return SQLITE_OK }
        switch action {
        // SQLite itself refuses the function, but only when the statement runs.
        case SQLITE_FUNCTION where argument.map { strcmp($0, "load_extension") == 0 } == true:
          return SQLITE_DENY
        case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: return SQLITE_OK
        // SQLite asks for this permission before the first use of a table-valued function such as
        // json_each. It is safe to allow, because no statement can update the table
        // `sqlite_master`.
        case SQLITE_UPDATE where object.map { strcmp($0, "sqlite_master") == 0 } == true:
          return SQLITE_OK
        case _ where permission == .reading: return SQLITE_DENY
        // Only a pragma without an argument is allowed: an argument changes a setting. The argument
        // of a check is the maximum number of messages.
        case SQLITE_PRAGMA where argument == nil: return SQLITE_OK
        case SQLITE_PRAGMA where object.map { String(cString: $0).hasSuffix("_check") } == true:
          return SQLITE_OK
        default: return schema.map { strcmp($0, "temp") == 0 } == true ? SQLITE_OK : SQLITE_DENY
        }
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Runs a function that prepares statements.
  ///
  /// The authorizer is used only if the connection is a second wrapper.
  ///
  /// SQLite calls the authorizer for every column. A query is therefore prepared without the
  /// authorizer: it is a single statement that begins with SELECT and can't write.
  func preparing<Result>(isQuery: Bool = false, _ body: () -> Result) -> Result {
    guard let owner, !isQuery else { return body() }
    // If the database is in memory, the owner's thread could prepare a statement at the same time.
    // The mutex prevents this.
    let mutex = sqlite3_db_mutex(database)
    sqlite3_mutex_enter(mutex)
    defer { sqlite3_mutex_leave(mutex) }
    owner.installAuthorizer()
    let before = owner.permission
    owner.permission = .temporary
    defer { owner.permission = before }
    return body()
  }

  /// Prepares a statement that may only read; any other statement fails with
  /// ``SQLiteError/readOnly``.
  package func prepareReading(_ sql: String) throws -> Statement {
    installAuthorizer()
    permission = .reading
    defer { permission = .all }
    return try prepare(sql)
  }

  /// Makes statements that run at a time fail, as after a request to stop.
  package func limitTime(to deadline: ContinuousClock.Instant) {
    self.deadline = deadline
    sqlite3_progress_handler(
      database,
      10_000,
      { connection in
        guard !StopRequest.isMade, let connection else { return 1 }
        return Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().isOverdue ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Whether the time of the statements is over.
  package var isOverdue: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

  deinit {
    statements.removeAll()
    // SQLite closes the database after its last statement was closed.
    if owner == nil {
      sqlite3_set_authorizer(database, nil, nil)
      if deadline != nil { sqlite3_progress_handler(database, 0, nil, nil) }
      sqlite3_close_v2(database)
    }
  }

  /// Runs one or more statements, and ignores their rows.
  package func execute(_ sql: String) throws {
    let code = preparing { sqlite3_exec(database, sql, nil, nil, nil) }
    guard code == SQLITE_OK else { throw failure(code, sql: sql) }
  }

  package func prepare(_ sql: String) throws -> Statement {
    try Statement(sql, on: self, isKept: false)
  }

  /// The statement with this text, reset and without bindings.
  ///
  /// A statement is prepared at most once, and two uses of it must not overlap.
  package func cached(_ sql: String) throws -> Statement {
    if let statement = statements[sql] {
      statement.reset()
      statement.clearBindings()
      return statement
    }
    let statement = try Statement(sql, on: self, isKept: true)
    statements[sql] = statement
    return statement
  }

  /// Closes the statements of ``cached(_:)``, for example after a change of tables.
  package func removeCachedStatements() { statements.removeAll() }

  /// Resets the statements of ``cached(_:)``, because a statement that is not reset can hold a
  /// lock.
  package func resetCachedStatements() {
    for statement in statements.values { statement.reset() }
  }

  /// Resets all statements of the database, including statements of other wrappers.
  package func resetStatements() {
    var next = sqlite3_next_stmt(database, nil)
    while let statement = next {
      if sqlite3_stmt_busy(statement) != 0 { sqlite3_reset(statement) }
      next = sqlite3_next_stmt(database, statement)
    }
  }

  /// How many milliseconds a statement waits for a lock.
  package var busyTimeout: Int { owner?.busyTimeout ?? ownBusyTimeout }

  /// The prefix of the names of Travelog's tables; nil if the names have no prefix.
  ///
  /// SQLite does not use the prefix.
  package var tablePrefix: String? { owner?.tablePrefix ?? ownTablePrefix }

  static let utf8 = "UTF-8"

  /// SQLite's name of the encoding of the texts.
  ///
  /// Only a database of another program can have another encoding than UTF-8.
  package var encoding: String { owner?.encoding ?? ownEncoding }

  /// Sets the prefix of the names of Travelog's tables in a database of another program, and reads
  /// the encoding of its texts.
  package func useTables(prefix: String) throws {
    ownTablePrefix = prefix
    try readEncoding()
  }

  /// Gives the texts of a new database an encoding, before the first table exists.
  package func setEncoding(_ name: String) throws {
    try execute("PRAGMA encoding = '\(name)'")
    try readEncoding()
  }

  private func readEncoding() throws {
    let reading = try prepare("PRAGMA encoding")
    guard try reading.step() else { return }
    ownEncoding = reading.string(at: 0)
    // Statements that were prepared earlier would not convert texts.
    removeCachedStatements()
  }

  /// Sets how long a statement waits for a lock.
  ///
  /// SQLite's own handler would not notice a request to stop.
  package func setBusyTimeout(milliseconds: Int) {
    if let owner { return owner.setBusyTimeout(milliseconds: milliseconds) }
    ownBusyTimeout = milliseconds
    // The handler gets the number of milliseconds instead of the connection, because a statement
    // can outlive the connection.
    let limit = UnsafeMutableRawPointer(bitPattern: max(0, milliseconds))
    guard !triesLocksOften else {
      sqlite3_busy_handler(
        database,
        { limit, count in
          guard Int(count) < 2 * Int(bitPattern: limit), !StopRequest.isMade else { return 0 }
          usleep(500)
          return 1
        },
        limit
      )
      return
    }
    sqlite3_busy_handler(
      database,
      { limit, count in
        let count = Int(count)
        // The delays are 1, 2, 4, 8, 16, and then always 25 milliseconds.
        let waited = count < 5 ? (1 << count) - 1 : 31 + (count - 5) * 25
        let delay = min(count < 5 ? 1 << count : 25, Int(bitPattern: limit) - waited)
        guard delay > 0, !StopRequest.isMade else { return 0 }
        usleep(UInt32(delay) * 1000)
        return 1
      },
      limit
    )
  }

  package func setTriggers(enabled: Bool) throws {
    try check(travelog_sqlite_set_trigger(database, enabled ? 1 : 0))
  }

  package func setForeignKeys(enforced: Bool) throws {
    try check(travelog_sqlite_set_foreign_keys(database, enforced ? 1 : 0))
  }

  func failure(_ code: Int32, sql: String? = nil) -> SQLiteError {
    if code == SQLITE_AUTH {
      return SQLiteError(
        code: SQLiteError.readOnly,
        message: "the statement writes, and the connection is for reading",
        sql: sql,
        path: path
      )
    }
    return SQLiteError(code, database: database, sql: sql, path: path)
  }

  func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }
}

/// Escapes the bytes that have a meaning in a URI, and the bytes outside ASCII.
private func percentEncoded(_ path: String) -> String {
  let digits = Array("0123456789ABCDEF")
  var result = ""
  for byte in path.utf8 {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
      result.append("%")
      result.append(digits[Int(byte >> 4)])
      result.append(digits[Int(byte & 15)])
    default: result.unicodeScalars.append(Unicode.Scalar(byte))
    }
  }
  return result
}
