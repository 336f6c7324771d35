import Changes

/// The reason why a database can't be adopted, or why an operation is not possible on an adopted
/// file.
enum AdoptionFailure: StoreReason {
  case adopted, notAdopted, ourStore
  case prefixTaken(String, prefix: String)
  case invalidPrefix(String)
  case nothingToRecord
  case encoding(String)
  case suspended(process: Int32)
  case refused(String)
  case notACreation(String)

  var code: StoreError.Code {
    switch self {
    case .suspended: .locked
    case .notAdopted: .notAStore
    case .notACreation: .invalidSchema
    default: .misuse
    }
  }

  func wording(_ path: String) -> Wording {
    switch self {
    case .adopted: "\(path) is adopted already.\nTo list its history: travelog log \(path)"
    case .notAdopted: "\(path) is not adopted.\nTo add history to it: travelog adopt \(path)"
    case .ourStore:
      "\(path) is a store, which has history already.\nTo list it: travelog log \(path)"
    case .prefixTaken(let name, let prefix):
      "\(path) has '\(name)', whose name begins with the prefix '\(prefix)'."
        + "\nChoose another one: travelog adopt --prefix NAME_ \(path)"
    case .invalidPrefix(let prefix):
      "The prefix '\(abbreviated(prefix))' is not a name of ASCII letters, digits and '_'."
        + "\nUse a prefix such as audit_."
    case .nothingToRecord:
      "\(path) has no table that can be recorded.\nTo see why: travelog adopt --dry-run \(path)"
    case .encoding(let encoding):
      "The texts of \(path) are stored as \(encoding), and only UTF-8 can be recorded."
        + "\nTo see the encoding: sqlite3 \(path) 'PRAGMA encoding'"
    case .suspended(let process):
      "The triggers of \(path) are removed while process \(process) changes its tables."
        + "\nTry again when it has finished."
    case .notACreation(let name):
      "The schema of \(path) has a statement for '\(abbreviated(name))' that creates nothing."
        + "\nThe log was altered; use another copy."
    case .refused(let operation):
      "\(path) has the tables of another program, and \(operation) is not possible there."
        + "\nUse the program itself to change its rows."
    }
  }
}
