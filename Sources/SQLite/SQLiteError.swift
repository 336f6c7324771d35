import CSQLite

/// What SQLite said when it could not do something, with the statement and the file.
package struct SQLiteError: Error, Hashable, Sendable {
  /// A result code of SQLite: a primary one such as `SQLITE_BUSY`, or an extended one.
  package struct Code: Hashable, Sendable {
    /// The number that SQLite returned.
    package let rawValue: Int32

    /// Makes a code of a number that SQLite returned.
    package init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The code with its extension taken away.
    package var primary: Code { Code(rawValue & 0xff) }
  }

  /// The extended code.
  package let code: Code
  /// SQLite's own sentence.
  package let message: String
  /// The statement that failed, without the values bound to it.
  package let sql: String?
  /// The file, or `:memory:`.
  package let path: String

  /// The code without its extension.
  package var primaryCode: Code { code.primary }

  /// Makes an error of what SQLite returned.
  package init(code: Code, message: String, sql: String? = nil, path: String) {
    self.code = code
    self.message = message
    self.sql = sql
    self.path = path
  }

  init(_ code: Int32, database: OpaquePointer?, sql: String? = nil, path: String) {
    let isLatest = database.map { sqlite3_extended_errcode($0) == code } ?? false
    let text = isLatest ? sqlite3_errmsg(database) : sqlite3_errstr(code)
    self.init(
      code: Code(code),
      message: text.map { String(cString: $0) } ?? "unknown error",
      sql: sql,
      path: path
    )
  }
}

/// The codes that callers tell apart; `catch SQLiteError.busy` works with each.
extension SQLiteError {
  /// Another connection holds the lock.
  package static let busy = Code(SQLITE_BUSY)
  /// Another statement of the same connection holds the table.
  package static let locked = Code(SQLITE_LOCKED)
  /// Other connections were in the way while the lock was being taken.
  package static let protocolFailure = Code(SQLITE_PROTOCOL)
  /// There was no memory.
  package static let noMemory = Code(SQLITE_NOMEM)
  /// There was no memory for reading or writing the file.
  package static let inputOutputNoMemory = Code(SQLITE_IOERR | (12 << 8))
  /// The disk, or the number of pages allowed, is used up.
  package static let full = Code(SQLITE_FULL)
  /// The file is something else.
  package static let notADatabase = Code(SQLITE_NOTADB)
  /// The file is damaged.
  package static let corrupt = Code(SQLITE_CORRUPT)
  /// The file or its folder can't be written.
  package static let readOnly = Code(SQLITE_READONLY)
  /// The file can't be opened.
  package static let cantOpen = Code(SQLITE_CANTOPEN)
  /// Reading or writing the file failed.
  package static let inputOutput = Code(SQLITE_IOERR)
  /// The statement was told to stop.
  package static let interrupted = Code(SQLITE_INTERRUPT)
  /// A parameter or column number is out of range.
  package static let range = Code(SQLITE_RANGE)
  /// A connection or statement was used in a way that it does not allow.
  package static let misuse = Code(SQLITE_MISUSE)
  /// The statement is wrong, or a function that it calls failed.
  package static let error = Code(SQLITE_ERROR)
  /// Any constraint of a table.
  package static let constraint = Code(SQLITE_CONSTRAINT)
  /// Two rows have the same values in columns that are unique.
  package static let constraintUnique = Code(SQLITE_CONSTRAINT | (8 << 8))
  /// Two rows have the same primary key.
  package static let constraintPrimaryKey = Code(SQLITE_CONSTRAINT | (6 << 8))
  /// Two rows have the same row id.
  package static let constraintRowID = Code(SQLITE_CONSTRAINT | (10 << 8))
  /// A column that must have a value was given none.
  package static let constraintNotNull = Code(SQLITE_CONSTRAINT | (5 << 8))
  /// A `CHECK` does not hold.
  package static let constraintCheck = Code(SQLITE_CONSTRAINT | (1 << 8))
  /// A row points at one that is not there.
  package static let constraintForeignKey = Code(SQLITE_CONSTRAINT | (3 << 8))
  /// A value does not have the type of its column in a `STRICT` table.
  package static let constraintDataType = Code(SQLITE_CONSTRAINT | (12 << 8))
}

extension SQLiteError: CustomStringConvertible {
  /// One line: the code, SQLite's sentence, the statement and the file.
  package var description: String {
    let statement = sql.map { " - while executing `\($0)`" } ?? ""
    return "SQLite error \(code.rawValue): \(message)\(statement) (\(path))"
  }
}

/// Matches an error by its code; a primary code matches all its extensions.
package func ~= (pattern: SQLiteError.Code, error: any Error) -> Bool {
  guard let error = error as? SQLiteError else { return false }
  return error.code == pattern || error.primaryCode == pattern
}
