import CSQLite
import Glibc
import Stopping

/// An open database.
///
/// A connection is used by one thread at a time; whoever hands one to another thread makes sure
/// of that.
package final class Connection {
  /// What the connection may do to the file.
  package enum Mode: Hashable, Sendable {
    /// Reads and writes, and makes the file if there is none.
    case readWriteCreate
    /// Reads and writes a file that is there.
    case readWrite
    /// Reads a file that is there.
    case readOnly
    /// Reads a file that nobody changes: takes no locks and makes no files beside it.
    case immutable
    /// A database of its own in memory; the path is ignored.
    case memory
  }

  let database: OpaquePointer
  /// The file, or `:memory:`.
  package let path: String
  private let owner: Connection?
  /// Whether statements that are prepared now may change only temporary tables.
  private var refusesWrites = false
  private var hasAuthorizer = false
  private var ownBusyTimeout = 0
  private var statements: [String: Statement] = [:]
  /// What watches its commits.
  weak var changedPages: ChangedPages?

  /// Lets SQLite count no memory, which takes a lock for each piece of it.
  ///
  /// It is for a program to call before it opens anything; where others use SQLite in the process
  /// already, nothing changes.
  package static func skipMemoryStatistics() {
    // It fails where SQLite is in use, and then counts on.
    _ = travelog_sqlite_set_memory_statistics(0)
  }

  /// Lets the system have large pieces of memory as soon as nobody needs them.
  package static func returnLargeMemory() { travelog_return_large_memory() }

  /// Opens a database.
  package init(path: String, mode: Mode) throws {
    var flags = SQLITE_OPEN_EXRESCODE
    var name = path
    switch mode {
    case .readWriteCreate:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    case .readOnly: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
    case .immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
      name = "file:" + percentEncoded(path) + "?immutable=1"
    case .memory:
      // Several wrappers may share one database in memory, so that one takes SQLite's own locks.
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
      name = ":memory:"
    }
    self.path = mode == .memory ? ":memory:" : path
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened, travelog_sqlite_refuse_quoted_texts(opened) == SQLITE_OK
    else {
      let error = SQLiteError(code, database: opened, path: self.path)
      sqlite3_close_v2(opened)
      throw error
    }
    database = opened
    owner = nil
    // What tidies up after a stopped command takes fewer steps than this.
    sqlite3_progress_handler(opened, 10_000, { _ in StopRequest.isMade ? 1 : 0 }, nil)
  }

  /// Makes a second wrapper of an open database, for reading it with prepared statements of its own.
  ///
  /// It refuses statements that change more than temporary tables, with ``SQLiteError/readOnly``.
  package init(sharing owner: Connection) {
    let owner = owner.owner ?? owner
    self.owner = owner
    database = owner.database
    path = owner.path
  }

  private func installAuthorizer() {
    guard !hasAuthorizer else { return }
    hasAuthorizer = true
    // It fails only if the connection is misused.
    sqlite3_set_authorizer(
      database,
      { connection, action, object, argument, schema, _ in
        guard let connection,
          Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().refusesWrites
        else { return SQLITE_OK }
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: return SQLITE_OK
        // A pragma with an argument sets something.
        case SQLITE_PRAGMA where argument == nil: return SQLITE_OK
        // SQLite asks this before the first use of a table-valued function such as json_each. It never
        // lets a statement update that table.
        case SQLITE_UPDATE where object.map { strcmp($0, "sqlite_master") == 0 } == true:
          return SQLITE_OK
        default: return schema.map { strcmp($0, "temp") == 0 } == true ? SQLITE_OK : SQLITE_DENY
        }
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Calls with what prepares statements.
  ///
  /// If this is a second wrapper, SQLite refuses those that change more than temporary tables. It
  /// asks for every column, so a single statement that begins with SELECT, and can't write, is a query
  /// that is prepared without the question.
  func preparing<Result>(isQuery: Bool = false, _ body: () -> Result) -> Result {
    guard let owner, !isQuery else { return body() }
    // Another thread may prepare a statement with the owner, if the database is in memory.
    let mutex = sqlite3_db_mutex(database)
    sqlite3_mutex_enter(mutex)
    defer { sqlite3_mutex_leave(mutex) }
    owner.installAuthorizer()
    let before = owner.refusesWrites
    owner.refusesWrites = true
    defer { owner.refusesWrites = before }
    return body()
  }

  deinit {
    statements.removeAll()
    // A database that still has statements is closed by SQLite when the last one goes.
    if owner == nil {
      sqlite3_set_authorizer(database, nil, nil)
      sqlite3_close_v2(database)
    }
  }

  /// Runs one or more statements and drops the rows that they give.
  package func execute(_ sql: String) throws {
    let code = preparing { sqlite3_exec(database, sql, nil, nil, nil) }
    guard code == SQLITE_OK else { throw failure(code, sql: sql) }
  }

  /// Prepares a new statement.
  package func prepare(_ sql: String) throws -> Statement {
    try Statement(sql, on: self, isKept: false)
  }

  /// Hands out the statement with this text, prepared at most once, reset and with no bindings.
  ///
  /// Two uses of one text must not overlap; ``prepare(_:)`` is for those.
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

  /// Forgets all statements that ``cached(_:)`` keeps, as a change of tables asks for.
  package func removeCachedStatements() { statements.removeAll() }

  /// Resets the statements that ``cached(_:)`` keeps, so that none holds a lock.
  package func resetCachedStatements() {
    for statement in statements.values { statement.reset() }
  }

  /// Resets all statements of the database, those of other wrappers included.
  package func resetStatements() {
    var next = sqlite3_next_stmt(database, nil)
    while let statement = next {
      if sqlite3_stmt_busy(statement) != 0 { sqlite3_reset(statement) }
      next = sqlite3_next_stmt(database, statement)
    }
  }

  /// The rows that statements passed over because no index led to those that they want, as long as
  /// they are prepared.
  package var rowsPassedOver: Int { sum(of: SQLITE_STMTSTATUS_FULLSCAN_STEP) }

  /// How often statements ran, as long as they are prepared.
  package var statementsRun: Int { sum(of: SQLITE_STMTSTATUS_RUN) }

  /// The steps that statements took, as long as they are prepared: a few for each row that they read
  /// or write.
  package var steps: Int { sum(of: SQLITE_STMTSTATUS_VM_STEP) }

  private func sum(of counter: Int32) -> Int {
    var result = 0
    var next = sqlite3_next_stmt(database, nil)
    while let statement = next {
      result += Int(sqlite3_stmt_status(statement, counter, 0))
      next = sqlite3_next_stmt(database, statement)
    }
    return result
  }

  /// The number of rows that the last statement changed.
  package var changes: Int { Int(sqlite3_changes64(database)) }

  /// The row id of the last row inserted.
  package var lastInsertedID: Int64 { sqlite3_last_insert_rowid(database) }

  /// True between `BEGIN` and the end of the transaction, which SQLite may end by itself.
  package var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  /// Whether the file can't be written.
  package var isReadOnly: Bool { sqlite3_db_readonly(database, "main") == 1 }

  /// How many milliseconds a statement waits for a lock.
  package var busyTimeout: Int { owner?.busyTimeout ?? ownBusyTimeout }

  /// Sets how long a statement waits for a lock.
  ///
  /// SQLite's own handler would go on waiting while the program is to end.
  package func setBusyTimeout(milliseconds: Int) {
    if let owner { return owner.setBusyTimeout(milliseconds: milliseconds) }
    ownBusyTimeout = milliseconds
    // A statement may outlive its connection, so that the number itself is handed over.
    let limit = UnsafeMutableRawPointer(bitPattern: max(0, milliseconds))
    sqlite3_busy_handler(
      database,
      { limit, count in
        let count = Int(count)
        // 1, 2, 4, 8, 16, and then always 25 milliseconds.
        let waited = count < 5 ? (1 << count) - 1 : 31 + (count - 5) * 25
        let delay = min(count < 5 ? 1 << count : 25, Int(bitPattern: limit) - waited)
        guard delay > 0, !StopRequest.isMade else { return 0 }
        usleep(UInt32(delay) * 1000)
        return 1
      },
      limit
    )
  }

  /// Switches triggers on or off, for this connection alone.
  package func setTriggers(enabled: Bool) throws {
    try check(travelog_sqlite_set_trigger(database, enabled ? 1 : 0))
  }

  /// Switches foreign keys on or off, for this connection alone.
  package func setForeignKeys(enforced: Bool) throws {
    try check(travelog_sqlite_set_foreign_keys(database, enforced ? 1 : 0))
  }

  /// Makes sure that what the connection sees outlasts a power cut.
  ///
  /// It goes by SQLite's own descriptors: whoever closes another one of the same file lets go of all
  /// locks that this process has on it.
  package func sync() throws {
    // What is in the log counts before what is in the file.
    for file in [travelog_sqlite_log_file(database), travelog_sqlite_file(database)] {
      if let file { try check(travelog_sqlite_file_sync(file)) }
    }
  }

  /// The first bytes of the file, fewer where it is shorter.
  ///
  /// It goes by SQLite's own descriptor, as ``sync()`` does.
  package func firstBytes(_ count: Int) throws -> [UInt8] {
    var size: Int64 = 0
    guard let file = travelog_sqlite_file(database) else { return [] }
    try check(travelog_sqlite_file_size(file, &size))
    var bytes = [UInt8](repeating: 0, count: Int(min(Int64(count), max(0, size))))
    if !bytes.isEmpty {
      try check(travelog_sqlite_file_read(file, &bytes, Int32(truncatingIfNeeded: bytes.count), 0))
    }
    return bytes
  }

  /// Leaves the write-ahead log as it is when the connection is closed.
  package func keepWriteAheadLogOnClose() throws {
    try check(travelog_sqlite_set_no_checkpoint_on_close(database, 1))
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

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }
}

/// Turns the bytes that mean something in a URI, and those outside ASCII, into their escapes.
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
