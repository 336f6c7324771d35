import CSQLite
import Stopping

extension Connection {
  /// The number of pages that are copied before the next check for a request to stop.
  private static let pagesAtOnce: Int32 = 4096

  /// Replaces the contents of another database by the contents of this database, in one transaction
  /// of the other database.
  ///
  /// `whenLocked` is called when the other database is locked, before anything is copied. If it
  /// throws, nothing is copied.
  package func backup(to destination: Connection, whenLocked: () throws -> Void = {}) throws {
    guard let backup = sqlite3_backup_init(destination.database, "main", database, "main") else {
      throw destination.failure(sqlite3_extended_errcode(destination.database))
    }
    do {
      // This step copies no pages; it only takes the locks.
      var code = sqlite3_backup_step(backup, 0)
      if code == SQLITE_OK {
        try whenLocked()
        // Between two steps, SQLite keeps the read transaction of this database and the lock on the
        // other database.
        repeat {
          code = sqlite3_backup_step(backup, Self.pagesAtOnce)
        } while code == SQLITE_OK
          && !StopRequest.isMade
        if code == SQLITE_OK { code = SQLITE_INTERRUPT }
      }
      guard code == SQLITE_DONE else { throw destination.failure(code) }
    } catch {
      // The result is ignored: it is the code of the failed step.
      sqlite3_backup_finish(backup)
      throw error
    }
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw destination.failure(code) }
    destination.removeCachedStatements()
  }
}
