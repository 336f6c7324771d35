import CSQLite
import Stopping

extension Connection {
  /// The number of pages to copy between two checks of a request to stop.
  private static let pagesAtOnce: Int32 = 4096

  /// Replaces the contents of another database by those of this one, in one transaction of the other.
  ///
  /// `whenLocked` is called when no other program can write the other database, before anything is
  /// copied; its error ends the copying.
  package func backup(to destination: Connection, whenLocked: () throws -> Void = {}) throws {
    guard let backup = sqlite3_backup_init(destination.database, "main", database, "main") else {
      throw destination.failure(sqlite3_extended_errcode(destination.database))
    }
    do {
      // A step of no pages takes the locks.
      var code = sqlite3_backup_step(backup, 0)
      if code == SQLITE_OK {
        try whenLocked()
        // The read transaction of this database and the lock on the other one last from step to step.
        repeat {
          code = sqlite3_backup_step(backup, Self.pagesAtOnce)
        } while code == SQLITE_OK
          && !StopRequest.isMade
        if code == SQLITE_OK { code = SQLITE_INTERRUPT }
      }
      guard code == SQLITE_DONE else { throw destination.failure(code) }
    } catch {
      // `finish` returns the code of the failed step again.
      sqlite3_backup_finish(backup)
      throw error
    }
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw destination.failure(code) }
    destination.removeCachedStatements()
  }
}
