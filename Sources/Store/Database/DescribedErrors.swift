import Format
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
  let notKept = "an unfinished change was not kept"
  func failure(_ code: StoreError.Code, _ wording: () -> Wording) -> StoreError {
    StoreError(code, at: path, cause: error, wording)
  }
  var outOfMemory: StoreError {
    failure(.outOfMemory) { "There is not enough memory for the store \(path); \(notKept)." }
  }
  var full: StoreError {
    failure(.diskFull) { "There is no space left for the store \(path); \(notKept)." }
  }
  func locked(_ time: Duration?) -> StoreError {
    failure(.locked) {
      "Another program is writing to \(path) and did not finish"
        + " \(time.map { "within \(text($0))" } ?? "in time").\nTry again."
    }
  }
  if error.code == SQLiteError.inputOutputNoMemory { return outOfMemory }
  if [ENOSPC, EDQUOT].contains(error.systemError) { return full }
  switch error.primaryCode {
  case SQLiteError.noMemory: return outOfMemory
  case SQLiteError.busy where isKeptLocked(path):
    return failure(.locked) {
      "Another program keeps \(path) locked"
        + "\(timeout.map { ", and did not release the lock within \(text($0))" } ?? "")."
        + "\nClose this program. Perhaps it uses PRAGMA locking_mode = EXCLUSIVE, which keeps the"
        + " lock until the program ends."
    }
  case SQLiteError.busy: return locked(timeout)
  case SQLiteError.locked, SQLiteError.protocolFailure: return locked(nil)
  case SQLiteError.full: return full
  case SQLiteError.notADatabase:
    return failure(.notADatabase) { "The file \(path) is not a SQLite database." }
  case SQLiteError.corrupt
  where error.says("malformed database schema (")
    && ["syntax error", "unrecognized token", "unknown table option"].contains(where: error.says):
    return failure(.damaged) {
      "The SQLite \(Connection.libraryVersion) of this program can't read \(path)"
        + " (\(error.message))."
        + "\nA newer SQLite created a part of the file, or the file is damaged."
    }
  case SQLiteError.corrupt: return failure(.damaged) { "The store \(path) is damaged." }
  case SQLiteError.readOnly: return writeProtected(at: path, cause: error)
  case SQLiteError.cantOpen where isFolder(path):
    return failure(.notAStore) { "\(path) is a folder; a store is a file such as trips.store." }
  case SQLiteError.cantOpen where isForbidden(path) || access(path, F_OK) != 0:
    return missingFile(at: path, cause: error)
  case SQLiteError.cantOpen:
    return failure(.readOnly) {
      "The store \(path) can't be opened: SQLite can't create its files in the folder of the store."
    }
  case SQLiteError.inputOutput:
    return failure(.inputOutput) { "Can't read or write the store \(path); \(notKept)." }
  case SQLiteError.error
  where error.message.hasPrefix("no such table") || error.message.hasPrefix("no such column"):
    return failure(.damaged) {
      "The tables of the store \(path) do not match its schema (\(error.message)); another program"
        + " changed them.\nTo list the differences: travelog check \(path)"
    }
  case SQLiteError.error
  where ["no such function: ", "unknown function: ", "no such module: "].contains(where: error.says):
    return failure(.database) {
      "The schema of \(path) needs what the SQLite \(Connection.libraryVersion) of this program"
        + " does not have (\(error.message))."
    }
  default:
    return failure(.database) {
      "SQLite refused a statement on the store \(path) (\(error.message))."
    }
  }
}

/// The error about a file that is missing, or that this user may not read.
func missingFile(at path: String, cause: (any Error)? = nil) -> StoreError {
  guard !isForbidden(path) else {
    return StoreError(.notPermitted, at: path, cause: cause) { forbidden(path) }
  }
  let parts = path.split(separator: "/", omittingEmptySubsequences: false)
  let folder = parts.dropLast().joined(separator: "/")
  let isInFolder = folder.isEmpty || access(folder, F_OK) == 0
  return StoreError(.missing, at: path, cause: cause) {
    "There is no \(isInFolder ? "file \(path)" : "folder \(folder)")."
  }
}

func writeProtected(at path: String, cause: (any Error)? = nil) -> StoreError {
  StoreError(.readOnly, at: path, cause: cause) {
    "\(path) can't be written: the file, its folder or its disk is write-protected."
  }
}

/// A duration as text, such as “10 s”, or “50 ms” for less than a second.
private func text(_ time: Duration) -> String {
  time < .seconds(1) ? "\(Int64(time / .milliseconds(1))) ms" : "\(time.components.seconds) s"
}

extension SQLiteError {
  /// Whether the message contains some of SQLite's words; the codes are the same for many errors.
  fileprivate func says(_ words: String) -> Bool { message.contains(words) }
}

private func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
