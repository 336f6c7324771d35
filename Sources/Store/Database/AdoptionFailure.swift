import Changes

/// The reason why a database can't be adopted, or why an operation is not possible on an adopted
/// file.
enum AdoptionFailure: StoreReason {
  case adopted, notAdopted, ourStore
  case prefixTaken(String, prefix: String)
  case invalidPrefix(String)
  case nothingToRecord
  /// There is no such table or column to leave out.
  case unknownPart(String)
  /// The column is a part of the key, without which rows can't be told apart.
  case keyPart(LeftOut)
  /// The table has the content of a full-text table.
  case contentPart(String, of: String)
  case suspended(process: Int32)
  /// A process is turning captured changes into transactions.
  ///
  /// The process is nil if it has ended its work.
  case sealing(process: Int32?)
  case notWritable
  /// SQLite gave new numbers to the rows of a table of a replica.
  case renumbered(String)
  case notACreation(String)
  case recordedAgain(Int64, String, by: Int64)
  case columnsRemoved(Int64, String), tablesChanged(Int64)
  case noRoomForRows
  case notUndone(row: String, UndoReason)
  case undoLeavesReference

  /// The reason why the change of a row can't be undone.
  enum UndoReason {
    /// The undo would also change other rows, in the tables with these names.
    case changesMore([String])
    case prevented
    case rejected(String)
    /// The deleted row had values that history leaves out.
    case leftOut([String])
  }

  var code: StoreError.Code {
    switch self {
    case .suspended, .sealing: .locked
    case .notAdopted: .notAStore
    case .notACreation: .invalidSchema
    case .noRoomForRows: .diskFull
    case .recordedAgain, .columnsRemoved, .tablesChanged, .notUndone, .undoLeavesReference:
      .irreversible
    case .renumbered: .damaged
    default: .misuse
    }
  }

  func wording(_ path: String) -> Wording {
    switch self {
    case .adopted: "\(path) is adopted already.\nTo list the history: travelog log \(path)"
    case .notAdopted: "\(path) is not adopted.\nTo add a history: travelog adopt \(path)"
    case .ourStore:
      "\(path) is a store, which has history already.\nTo list the history: travelog log \(path)"
    case .prefixTaken(let name, let prefix):
      "\(path) already has '\(name)', which begins with the prefix '\(prefix)'."
        + "\nChoose another prefix: travelog adopt --prefix NAME_ \(path)"
    case .invalidPrefix(let prefix):
      "The prefix '\(abbreviated(prefix))' is not a name of ASCII letters, digits and '_'."
        + "\nUse a prefix such as audit_."
    case .unknownPart(let name):
      "\(path) has no '\(abbreviated(name))' that could be left out."
        + "\nTo list the tables: travelog adopt --dry-run \(path)"
    case .keyPart(let part):
      "The column '\(part.name)' is a part of the key of its table, which identifies rows."
        + "\nLeave out the whole table: --without-table '\(part.table)'"
    case .contentPart(let table, let index):
      "'\(table)' has the content of the full-text table '\(index)'."
        + "\nLeave out the full-text table: --without-table '\(index)'"
    case .nothingToRecord:
      "\(path) has no table that can be recorded.\nTo see why: travelog adopt --dry-run \(path)"
    case .suspended(let process):
      "The triggers of \(path) are temporarily removed, because process \(process) is changing the"
        + " tables."
        + "\nTry again when process \(process) has finished."
    case .sealing(let process):
      process.map {
        "Process \($0) is recording the captured changes of \(path)."
          + "\nTry again when process \($0) has finished."
      } ?? "Another process has recorded the captured changes of \(path).\nTry again."
    case .notACreation(let name):
      "In the schema for \(path), the statement for '\(abbreviated(name))' does something else than"
        + " create '\(abbreviated(name))'.\nThe log that contains this schema was altered; use another copy."
    case .recordedAgain(let id, let table, let again):
      "Transaction \(id) of \(path) can't be reverted because it changed '\(abbreviated(table))', and"
        + " transaction \(again) recorded all rows of this table again or removed the table."
        + "\nRevert only transactions that changed other tables, or transactions after \(again)."
    case .noRoomForRows:
      "There is no space left for a temporary copy of the rows of \(path), which a migration needs."
        + " Nothing is changed.\nSet the variable SQLITE_TMPDIR to a folder with more space."
    case .columnsRemoved(let id, let table):
      "Transaction \(id) of \(path) can't be reverted because it changed columns of"
        + " '\(abbreviated(table))' that were removed later."
        + "\nUse the program of this database to change the rows."
    case .tablesChanged(let id):
      "Transaction \(id) of \(path) can't be reverted because it changed the definitions of tables,"
        + " or recorded tables again.\nRevert other transactions."
    case .notUndone(let row, .changesMore(let tables)):
      "The undo of \(abbreviated(row)) would also change \(tables.map { "'\($0)'" }.joined(separator: ", "))"
        + " by a trigger or a foreign key in \(path). Nothing is changed."
        + "\nUse the program of this database to change the row."
    case .notUndone(let row, .prevented):
      "A trigger in \(path) prevents the undo of \(abbreviated(row)). Nothing is changed."
        + "\nUse the program of this database to change the row."
    case .notUndone(let row, .rejected(let message)):
      "\(path) rejects the undo of \(abbreviated(row)): \(abbreviated(message)). Nothing is changed."
        + "\nUse the program of this database to change the row."
    case .notUndone(let row, .leftOut(let columns)):
      "\(abbreviated(row)) can't be inserted again, because the history of \(path) leaves out the"
        + " values of \(columns.map { "'\($0)'" }.joined(separator: ", ")). Nothing is changed."
        + "\nUse the program of this database to insert the row."
    case .undoLeavesReference:
      "The undo would leave a row in \(path) that refers to a missing row. Nothing is changed."
        + "\nAlso revert the later transactions that wrote such references."
    case .notWritable:
      "\(path) has the tables of another program. Models can't write the rows of these tables."
        + "\nUse the other program to change the rows."
    case .renumbered(let table):
      "SQLite rebuilt \(path) and renumbered the rows of '\(abbreviated(table))', which only their"
        + " numbers identify.\nCreate a new replica: travelog import LOGS --into NEW"
    }
  }
}
