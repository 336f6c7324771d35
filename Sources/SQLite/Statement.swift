import CSQLite

/// A prepared statement.
///
/// A statement can outlive the last other reference to its connection.
package final class Statement {
  let handle: OpaquePointer
  package let sql: String
  let path: String
  /// The connection, unless it keeps the statement.
  ///
  /// SQLite 3.53 refuses the statements of a closed connection. Earlier versions did not.
  private let owner: Connection?
  /// Whether the texts of the database are in UTF-16.
  let isUTF16: Bool

  init(_ sql: String, on connection: Connection, isKept: Bool) throws {
    var prepared: OpaquePointer?
    var rest = ""
    var text = sql
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        var tail: UnsafePointer<CChar>?
        let code = connection.preparing(isQuery: sql.hasPrefix("SELECT")) {
          sqlite3_prepare_v3(
            connection.database,
            characters.baseAddress,
            Int32(clamping: characters.count),
            isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0,
            &prepared,
            &tail
          )
        }
        if let start = characters.baseAddress, let tail {
          let remaining = UnsafeBufferPointer(rebasing: characters[(tail - start)...])
          rest = String(decoding: remaining.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return code
      }
    }
    guard code == SQLITE_OK else { throw connection.failure(code, sql: sql) }
    guard let prepared else {
      throw SQLiteError(
        code: SQLiteError.misuse,
        message: "there is no statement in the text",
        sql: sql,
        path: connection.path
      )
    }
    guard rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
      sqlite3_finalize(prepared)
      throw SQLiteError(
        code: SQLiteError.misuse,
        message: "there is more than one statement in the text",
        sql: sql,
        path: connection.path
      )
    }
    handle = prepared
    self.sql = sql
    path = connection.path
    owner = isKept ? nil : connection
    isUTF16 = connection.encoding != Connection.utf8
  }

  deinit { sqlite3_finalize(handle) }

  /// Moves to the next row; false after the last row.
  package func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else {
      let error = failure(code)
      sqlite3_reset(handle)
      throw error
    }
    return false
  }

  /// Runs a statement without rows, and resets it.
  package func run() throws {
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      let error = failure(code)
      sqlite3_reset(handle)
      throw error
    }
    // The result is ignored: the code of an error was thrown above.
    sqlite3_reset(handle)
  }

  /// Makes the statement ready to run again with the same bindings.
  package func reset() {
    // The result is ignored: it is the code of the last `sqlite3_step`.
    sqlite3_reset(handle)
  }

  package func clearBindings() { sqlite3_clear_bindings(handle) }

  /// The number of columns; zero for a statement without rows.
  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The names of the parameters with their first character, in the order of their numbers; empty for
  /// a parameter without a name.
  package var parameterNames: [String] {
    (0..<sqlite3_bind_parameter_count(handle)).map { index in
      sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0) } ?? ""
    }
  }

  package func columnName(at index: Int) -> String {
    sqlite3_column_name(handle, Int32(clamping: index)).map { String(cString: $0) } ?? ""
  }

  func failure(_ code: Int32) -> SQLiteError {
    SQLiteError(code, database: sqlite3_db_handle(handle), sql: sql, path: path)
  }
}
