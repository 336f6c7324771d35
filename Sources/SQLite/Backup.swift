import CSQLite

extension Connection {
  /// Copies this whole database over another one, in one transaction of the other: it is replaced
  /// as a whole, or stays as it was.
  ///
  /// `whenLocked` is called when nobody else can write the other database any more and nothing was
  /// copied yet; what it throws ends the copying.
  public func backup(to destination: Connection, whenLocked: () throws -> Void = {}) throws {
    guard let backup = sqlite3_backup_init(destination.database, "main", database, "main") else {
      throw destination.failure(sqlite3_extended_errcode(destination.database))
    }
    do {
      // A step of no pages takes the locks.
      var code = sqlite3_backup_step(backup, 0)
      if code == SQLITE_OK {
        try whenLocked()
        code = sqlite3_backup_step(backup, -1)
      }
      guard code == SQLITE_DONE else { throw destination.failure(code) }
    } catch {
      // The code repeats that of the step that failed.
      sqlite3_backup_finish(backup)
      throw error
    }
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw destination.failure(code) }
    destination.removeCachedStatements()
  }
}
