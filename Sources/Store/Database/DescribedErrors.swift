import Changes
import Glibc
import SQLite

/// Runs a function, and converts SQLite's errors to `StoreError`.
///
/// `timeout` is the time that SQLite waits for a lock; nil if the function does not always wait.
func describingErrors<Result>(
  at path: @autoclosure () -> String,
  timeout: Duration? = nil,
  _ body: () throws -> Result
) throws -> Result {
  do {
    return try body()
  } catch let error as SQLiteError {
    throw described(error, path: path(), timeout: timeout)
  }
}

/// Runs a function, and converts SQLite's errors about files to `StoreError`; throws other errors
/// unchanged.
package func describingErrorsOfFiles<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as SQLiteError {
    let told = described(error, path: error.path, timeout: nil)
    if told.code == .database { throw error }
    throw told
  }
}

private func described(_ error: SQLiteError, path: String, timeout: Duration?) -> StoreError {
  StoreError(failure(error, path: path, timeout: timeout), path: path, cause: error)
}

private func failure(_ error: SQLiteError, path: String, timeout: Duration?) -> FileFailure {
  if error.code == SQLiteError.inputOutputNoMemory { return .outOfMemory }
  if [ENOSPC, EDQUOT].contains(error.systemError) { return .full }
  return switch error.primaryCode {
  case SQLiteError.noMemory: .outOfMemory
  case SQLiteError.busy: isKeptLocked(path) ? .kept(waited: timeout) : .locked(waited: timeout)
  case SQLiteError.locked, SQLiteError.protocolFailure: .locked(waited: nil)
  case SQLiteError.full: .full
  case SQLiteError.notADatabase: .notADatabase
  case SQLiteError.corrupt
  where error.says("malformed database schema (")
    && ["syntax error", "unrecognized token", "unknown table option"].contains(where: error.says):
    .unknownSyntax(error.message)
  case SQLiteError.corrupt: .damaged
  case SQLiteError.readOnly: .writeProtected
  case SQLiteError.cantOpen:
    isFolder(path) ? .folder : access(path, F_OK) == 0 ? .noCompanions : .missing
  case SQLiteError.inputOutput: .inputOutput
  case SQLiteError.error
  where error.message.hasPrefix("no such table") || error.message.hasPrefix("no such column"):
    .otherTables(error.message)
  case SQLiteError.error
  where ["no such function: ", "unknown function: ", "no such module: "].contains(where: error.says):
    .lacking(error.message)
  default: .refused(error.message)
  }
}

extension SQLiteError {
  /// Whether the message contains some of SQLite's words; the codes are the same for many errors.
  fileprivate func says(_ words: String) -> Bool { message.contains(words) }
}

private func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
