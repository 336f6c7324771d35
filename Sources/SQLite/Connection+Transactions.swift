import CSQLite

extension Connection {
  /// Runs a function in a transaction with the write lock; an error rolls the transaction back.
  ///
  /// - Parameters:
  ///   - abandoned: Called after an error, while the write lock is still held.
  ///   - body: The function that runs in the transaction.
  /// - Returns: The result of the body.
  /// - Throws: ``SQLiteError``, and the errors of the body.
  package func inTransaction<Result>(
    abandoned: () -> Void = {},
    _ body: () throws -> Result
  ) throws -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      abandoned()
      rollBack()
      throw error
    }
  }

  /// Whether the open transaction wrote a row that refers to a missing row.
  ///
  /// A transaction with a missing reference can't be committed.
  package var hasMissingReferences: Bool {
    var (current, highest): (Int32, Int32) = (0, 0)
    let code = sqlite3_db_status(database, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return code == SQLITE_OK && current != 0
  }

  /// Rolls back a failed transaction, unless SQLite has already rolled it back, for example because
  /// the disk is full.
  package func rollBack() {
    guard isInTransaction else { return }
    // The caller throws the error that made the transaction fail. If the rollback fails too, SQLite
    // rolls back when the file is opened next.
    try? execute("ROLLBACK")
  }
}
