extension Connection {
  /// Calls inside a transaction that may write from its beginning; anything thrown takes all of it back.
  ///
  /// - Parameters:
  ///   - abandoned: Called where something was thrown, while the lock for writing is still held.
  ///   - body: What is done.
  /// - Returns: What the body returns.
  /// - Throws: ``SQLiteError``, and what the body throws.
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

  /// Takes a transaction back that failed, unless SQLite has done so itself, as it does when a disk is
  /// full.
  package func rollBack() {
    guard isInTransaction else { return }
    // What failed first tells what is wrong; what can't be taken back now is when the file is opened.
    try? execute("ROLLBACK")
  }
}
