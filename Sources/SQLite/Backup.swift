import CSQLite
import Stopping

extension Connection {
  /// The pages that are copied between two looks whether the program is to end.
  private static let pagesAtOnce: Int32 = 4096

  /// Copies this whole database over another one, in one transaction of the other: it is replaced
  /// as a whole, or stays as it was.
  ///
  /// `whenLocked` is called when nobody else can write the other database any more and nothing was
  /// copied yet; what it throws ends the copying.
  package func backup(to destination: Connection, whenLocked: () throws -> Void = {}) throws {
    guard let backup = sqlite3_backup_init(destination.database, "main", database, "main") else {
      throw destination.failure(sqlite3_extended_errcode(destination.database))
    }
    do {
      // A step of no pages takes the locks.
      var code = sqlite3_backup_step(backup, 0)
      if code == SQLITE_OK {
        try whenLocked()
        // The reader of the one and the lock on the other stay between steps.
        repeat {
          code = sqlite3_backup_step(backup, Self.pagesAtOnce)
        } while code == SQLITE_OK
          && !StopRequest.isMade
        if code == SQLITE_OK { code = SQLITE_INTERRUPT }
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
