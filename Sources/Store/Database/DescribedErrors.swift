import Changes
import Glibc
import SQLite

/// Calls, and turns what SQLite says of the file into sentences that tell what to do.
func describingErrors<Result>(
  at path: @autoclosure () -> String,
  _ body: () throws -> Result
) throws -> Result {
  do {
    return try body()
  } catch let error as SQLiteError {
    throw described(error, path: path())
  }
}

/// Calls, and turns what SQLite says of files into sentences that tell what to do; what it says of a
/// statement is left to whoever wrote that.
package func describingErrorsOfFiles<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as SQLiteError {
    let told = described(error, path: error.path)
    if told.code == .database { throw error }
    throw told
  }
}

private func described(_ error: SQLiteError, path: String) -> StoreError {
  func make(_ code: StoreError.Code, _ message: String, hint: String = "") -> StoreError {
    StoreError(code, message, hint: hint, cause: error, path: path)
  }
  switch error.code == SQLiteError.inputOutputNoMemory ? SQLiteError.noMemory : error.primaryCode {
  case SQLiteError.noMemory:
    return make(
      .outOfMemory,
      "There was no memory left to work with the store \(path); nothing of this write was kept.",
      hint: "Try again when other programs need less, or raise the limit of this one."
    )
  case SQLiteError.busy, SQLiteError.locked, SQLiteError.protocolFailure:
    return make(
      .locked,
      "Another process kept the store \(path) locked for longer than the busy timeout; try again"
        + " when it has finished, or raise the timeout."
    )
  case SQLiteError.full:
    return make(
      .diskFull,
      "There is no room left for the store \(path); nothing of this write was kept.",
      hint: "Free some space and write again."
    )
  case SQLiteError.notADatabase:
    return make(
      .notADatabase,
      "The file \(path) is not an SQLite database, so it is no store; check the path."
    )
  case SQLiteError.corrupt:
    return make(
      .damaged,
      "The store \(path) is damaged; restore it from a copy."
    )
  case SQLiteError.readOnly:
    return readOnlyError(path, cause: error)
  case SQLiteError.cantOpen where isFolder(path):
    return make(.notAStore, "\(path) is a folder, and a store is a file; name the file.")
  case SQLiteError.cantOpen:
    return access(path, F_OK) == 0
      ? make(
        .readOnly,
        "The store \(path) can't be opened: the files that SQLite needs beside it can't be made.",
        hint: "Check the path and the permissions of its folder."
      )
      : missingFileError(path, cause: error)
  case SQLiteError.inputOutput:
    return make(
      .inputOutput,
      "Reading or writing the store \(path) failed; nothing of this write was kept.",
      hint: "Check the disk."
    )
  case SQLiteError.error
  where error.message.hasPrefix("no such table") || error.message.hasPrefix("no such column"):
    return make(
      .damaged,
      "The tables of the store \(path) are not those of its schema (\(error.message)): somebody"
        + " changed them. “travelog check \(path)” names them."
    )
  default:
    return make(
      .database,
      "SQLite refused a statement on the store \(path) (\(error.message))."
    )
  }
}

/// What is thrown where there is no file.
func missingFileError(_ path: String, cause: (any Error)? = nil) -> StoreError {
  StoreError(
    .missing,
    "There is no store at \(path).",
    hint: "Check the path, and that the folder of a new store is there.",
    cause: cause,
    path: path
  )
}

/// What is thrown where something can't be written.
func readOnlyError(_ path: String, cause: (any Error)? = nil) -> StoreError {
  StoreError(
    .readOnly,
    "The store \(path) can't be written: the file, its folder or the medium is read-only. Open it"
      + " with isReadOnly, or change the permissions.",
    cause: cause,
    path: path
  )
}

private func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
