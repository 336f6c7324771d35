import CSQLite

/// An error of SQLite, with the statement and the path of the file.
package struct SQLiteError: Error, Hashable, Sendable {
  /// A primary result code such as `SQLITE_BUSY`, or an extended result code.
  package struct Code: Hashable, Sendable {
    package let rawValue: Int32

    package init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The primary result code that the code extends.
    package var primary: Code { Code(rawValue & 0xff) }
  }

  package let code: Code
  package let message: String
  /// The text of the statement that failed, without the bound values.
  package let sql: String?
  /// The path of the file; `:memory:` for a database in memory.
  package let path: String
  /// The number of the system's error, if SQLite could not open, read or write a file; otherwise
  /// zero.
  package let systemError: Int32

  package var primaryCode: Code { code.primary }

  package init(
    code: Code,
    message: String,
    sql: String? = nil,
    path: String,
    systemError: Int32 = 0
  ) {
    self.code = code
    self.message = message
    self.sql = sql
    self.path = path
    self.systemError = systemError
  }

  init(_ code: Int32, database: OpaquePointer?, sql: String? = nil, path: String) {
    let isLatest = database.map { sqlite3_extended_errcode($0) == code } ?? false
    let text = isLatest ? sqlite3_errmsg(database) : sqlite3_errstr(code)
    // SQLite keeps the number until its next error about a file.
    let isAboutFile = isLatest && [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff)
    self.init(
      code: Code(code),
      message: text.map { String(cString: $0) } ?? "unknown error",
      sql: sql,
      path: path,
      systemError: isAboutFile ? sqlite3_system_errno(database) : 0
    )
  }
}

/// With these constants, `catch SQLiteError.busy` works.
extension SQLiteError {
  /// Another connection has the lock.
  package static let busy = Code(SQLITE_BUSY)
  /// Another statement of the same connection uses the table.
  package static let locked = Code(SQLITE_LOCKED)
  /// Other connections prevented this connection from getting the lock.
  package static let protocolFailure = Code(SQLITE_PROTOCOL)
  package static let noMemory = Code(SQLITE_NOMEM)
  package static let inputOutputNoMemory = Code(SQLITE_IOERR | (12 << 8))
  /// The disk is full, or the file has its maximum number of pages.
  package static let full = Code(SQLITE_FULL)
  package static let notADatabase = Code(SQLITE_NOTADB)
  package static let corrupt = Code(SQLITE_CORRUPT)
  package static let readOnly = Code(SQLITE_READONLY)
  package static let cantOpen = Code(SQLITE_CANTOPEN)
  package static let inputOutput = Code(SQLITE_IOERR)
  package static let interrupted = Code(SQLITE_INTERRUPT)
  package static let range = Code(SQLITE_RANGE)
  package static let misuse = Code(SQLITE_MISUSE)
  package static let mismatch = Code(SQLITE_MISMATCH)
  /// The statement is wrong, or a function that it calls failed.
  package static let error = Code(SQLITE_ERROR)
  package static let constraint = Code(SQLITE_CONSTRAINT)
  package static let constraintUnique = Code(SQLITE_CONSTRAINT | (8 << 8))
  package static let constraintPrimaryKey = Code(SQLITE_CONSTRAINT | (6 << 8))
  package static let constraintRowID = Code(SQLITE_CONSTRAINT | (10 << 8))
  package static let constraintNotNull = Code(SQLITE_CONSTRAINT | (5 << 8))
  package static let constraintCheck = Code(SQLITE_CONSTRAINT | (1 << 8))
  package static let constraintForeignKey = Code(SQLITE_CONSTRAINT | (3 << 8))
  /// A value does not have the type of its column in a `STRICT` table.
  package static let constraintDataType = Code(SQLITE_CONSTRAINT | (12 << 8))
}

extension SQLiteError: CustomStringConvertible {
  package var description: String {
    let statement = sql.map { " - while executing `\($0)`" } ?? ""
    return "SQLite error \(code.rawValue): \(message)\(statement) (\(path))"
  }
}

/// Whether two codes match.
///
/// A primary code matches all its extended codes.
package func ~= (pattern: SQLiteError.Code, error: any Error) -> Bool {
  guard let error = error as? SQLiteError else { return false }
  return error.code == pattern || error.primaryCode == pattern
}
