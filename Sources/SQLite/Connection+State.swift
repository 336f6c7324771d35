import CSQLite

/// What SQLite tells about a connection and its statements.
extension Connection {
  /// The number of rows that prepared statements read without an index and skipped.
  package var rowsPassedOver: Int { sum(of: SQLITE_STMTSTATUS_FULLSCAN_STEP) }

  package var statementsRun: Int { sum(of: SQLITE_STMTSTATUS_RUN) }

  /// The number of steps of prepared statements: a few for each row that they read or write.
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

  /// The sort order of a column of a table of the main database.
  package func collation(ofColumn column: String, table: String) -> String {
    var collation: UnsafePointer<CChar>?
    // If the call fails, the table has no such column.
    sqlite3_table_column_metadata(
      database,
      "main",
      table,
      column,
      nil,
      &collation,
      nil,
      nil,
      nil
    )
    return collation.map { String(cString: $0) } ?? "BINARY"
  }

  /// The number of rows that the last statement changed.
  package var changes: Int { Int(sqlite3_changes64(database)) }

  /// The number of rows that all statements of this connection have changed.
  package var totalChanges: Int { Int(sqlite3_total_changes64(database)) }

  package var lastInsertedID: Int64 { sqlite3_last_insert_rowid(database) }

  /// Whether a transaction is open.
  ///
  /// SQLite itself ends a transaction after some errors.
  package var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  package var isReadOnly: Bool { sqlite3_db_readonly(database, "main") == 1 }
}
