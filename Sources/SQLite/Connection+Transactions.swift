extension Connection {
  /// Runs a function in a transaction with the write lock, which an error rolls back.
  ///
  /// - Parameters:
  ///   - abandoned: Called after an error, while the lock is still held.
  ///   - body: Runs in the transaction.
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

  /// Rolls back a failed transaction, unless SQLite has done so, for example because the disk is
  /// full.
  package func rollBack() {
    guard isInTransaction else { return }
    // The error of the body is the cause and is thrown. If the rollback fails too, SQLite rolls
    // back when the file is opened next.
    try? execute("ROLLBACK")
  }
}
