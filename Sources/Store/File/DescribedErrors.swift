import SQLite

/// Calls, and turns what SQLite says of the file into sentences that tell what to do.
func describingErrors<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as SQLiteError {
    throw described(error, path: path)
  }
}

private func described(_ error: SQLiteError, path: String) -> StoreError {
  func make(_ code: StoreError.Code, _ message: String) -> StoreError {
    StoreError(code, message, cause: error, path: path)
  }
  switch error.primaryCode {
  case SQLiteError.busy, SQLiteError.locked:
    return make(
      .locked,
      "Another process kept the store \(path) locked for longer than the busy timeout; try again"
        + " when it has finished, or raise the timeout."
    )
  case SQLiteError.full:
    return make(
      .diskFull,
      "There is no room left for the store \(path); nothing of this write was kept. Free some"
        + " space and write again."
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
    return make(
      .readOnly,
      "The store \(path) can't be written: the file, its folder or the medium is read-only. Open"
        + " it with isReadOnly, or change the permissions."
    )
  case SQLiteError.cantOpen:
    return make(
      .missing,
      "The store \(path) can't be opened; check that the folder exists and that you may use it."
    )
  case SQLiteError.inputOutput:
    return make(
      .inputOutput,
      "Reading or writing the store \(path) failed; nothing of this write was kept. Check the disk."
    )
  default:
    return make(.database, "SQLite refused a statement on the store \(path).")
  }
}
