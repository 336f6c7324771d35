import CSQLite

/// What SQLite said when it could not do something, with the statement and the file.
public struct SQLiteError: Error, Hashable, Sendable {
  /// A result code of SQLite: a primary one such as `SQLITE_BUSY`, or an extended one.
  public struct Code: Hashable, Sendable {
    /// The number that SQLite returned.
    public let rawValue: Int32

    /// Makes a code of a number that SQLite returned.
    public init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The code with its extension taken away.
    public var primary: Code { Code(rawValue & 0xff) }
  }

  /// The extended code.
  public let code: Code
  /// SQLite's own sentence.
  public let message: String
  /// The statement that failed, without the values bound to it.
  public let sql: String?
  /// The file, or `:memory:`.
  public let path: String

  /// The code without its extension.
  public var primaryCode: Code { code.primary }

  /// Makes an error of what SQLite returned.
  public init(code: Code, message: String, sql: String? = nil, path: String) {
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
  public static let busy = Code(SQLITE_BUSY)
  /// Another statement of the same connection holds the table.
  public static let locked = Code(SQLITE_LOCKED)
  /// Other connections were in the way while the lock was being taken.
  public static let protocolFailure = Code(SQLITE_PROTOCOL)
  /// There was no memory.
  public static let noMemory = Code(SQLITE_NOMEM)
  /// There was no memory for reading or writing the file.
  public static let inputOutputNoMemory = Code(SQLITE_IOERR | (12 << 8))
  /// The disk, or the number of pages allowed, is used up.
  public static let full = Code(SQLITE_FULL)
  /// The file is something else.
  public static let notADatabase = Code(SQLITE_NOTADB)
  /// The file is damaged.
  public static let corrupt = Code(SQLITE_CORRUPT)
  /// The file or its folder can't be written.
  public static let readOnly = Code(SQLITE_READONLY)
  /// The file can't be opened.
  public static let cantOpen = Code(SQLITE_CANTOPEN)
  /// Reading or writing the file failed.
  public static let inputOutput = Code(SQLITE_IOERR)
  /// The statement was told to stop.
  public static let interrupted = Code(SQLITE_INTERRUPT)
  /// A parameter or column number is out of range.
  public static let range = Code(SQLITE_RANGE)
  /// A connection or statement was used in a way that it does not allow.
  public static let misuse = Code(SQLITE_MISUSE)
  /// The statement is wrong, or a function that it calls failed.
  public static let error = Code(SQLITE_ERROR)
  /// Any constraint of a table.
  public static let constraint = Code(SQLITE_CONSTRAINT)
  /// Two rows have the same values in columns that are unique.
  public static let constraintUnique = Code(SQLITE_CONSTRAINT | (8 << 8))
  /// Two rows have the same primary key.
  public static let constraintPrimaryKey = Code(SQLITE_CONSTRAINT | (6 << 8))
  /// Two rows have the same row id.
  public static let constraintRowID = Code(SQLITE_CONSTRAINT | (10 << 8))
  /// A column that must have a value was given none.
  public static let constraintNotNull = Code(SQLITE_CONSTRAINT | (5 << 8))
  /// A `CHECK` does not hold.
  public static let constraintCheck = Code(SQLITE_CONSTRAINT | (1 << 8))
  /// A row points at one that is not there.
  public static let constraintForeignKey = Code(SQLITE_CONSTRAINT | (3 << 8))
  /// A value does not have the type of its column in a `STRICT` table.
  public static let constraintDataType = Code(SQLITE_CONSTRAINT | (12 << 8))
}

extension SQLiteError: CustomStringConvertible {
  /// One line: the code, SQLite's sentence, the statement and the file.
  public var description: String {
    let statement = sql.map { " - while executing `\($0)`" } ?? ""
    return "SQLite error \(code.rawValue): \(message)\(statement) (\(path))"
  }
}

/// Matches an error by its code; a primary code matches all its extensions.
public func ~= (pattern: SQLiteError.Code, error: any Error) -> Bool {
  guard let error = error as? SQLiteError else { return false }
  return error.code == pattern || error.primaryCode == pattern
}
