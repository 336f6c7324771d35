import ChangeLog
import Glibc

/// Why a command of the pipeline could not do its work: what happened, where, and what to do.
package struct PipelineError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  package enum Code: String, Hashable, Sendable {
    /// Logs are missing: a token or the store speaks of them, or they are between others.
    case missingLogs
    /// A store, folder or file is not there.
    case missing
    /// History no longer has what comes next.
    case historyExpired
    /// The store's history is another one than that of the logs.
    case historyDiverged
    /// The schema of the logs and that of the store do not go together.
    case schemaMismatch
    /// The logs are of another store, or of several.
    case otherStore
    /// There is no entity or property of that name.
    case unknownName
    /// An object still has what is to be erased.
    case stillThere
    /// Something was asked for that goes against something else.
    case misuse
  }

  /// What kind of failure it was.
  package let code: Code
  /// What happened and where.
  package let message: String
  /// What to do about it.
  package let hint: String

  /// A name that is not known, and those that are.
  package private(set) var names: (unknown: String, known: [String])?

  /// Makes the error of a name that is not known.
  init(unknown name: String, among known: Set<String>, _ message: String) {
    self.init(.unknownName, message, hint: "There are \(known.sorted().joined(separator: ", ")).")
    names = (name, known.sorted())
  }

  init(_ code: Code, _ message: String, hint: String = "") {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The same error in other words.
  package func naming(_ name: (String) -> String) -> PipelineError {
    var error = PipelineError(code, name(message), hint: name(hint))
    error.names = names
    return error
  }

  /// The sentences.
  package var description: String { hint.isEmpty ? message : "\(message) \(hint)" }
}

/// Fails if a folder is missing or has no logs.
package func checkHasLogs(_ logs: LogFolder) throws {
  guard logs.exists else { throw missingFolder(logs) }
  guard try logs.allFiles().isEmpty else { return }
  throw noLogs(in: logs.path)
}

/// The error of a folder that has no logs.
func noLogs(in path: String) -> PipelineError {
  PipelineError(
    .missing,
    "There are no logs in \(path).",
    hint: "Name the folder that “travelog export --to” was given."
  )
}

/// The error of a folder of logs that is missing, or is not a folder.
package func missingFolder(_ logs: LogFolder) -> any Error {
  let hint = "Name the folder that “travelog export --to” was given."
  guard access(logs.path, F_OK) != 0 else {
    return LogError(
      .notALog,
      "\(logs.path) is not a folder of logs. \(hint)",
      path: logs.path
    )
  }
  return PipelineError(.missing, "There is no folder \(logs.path).", hint: hint)
}

/// Says that no log has transactions of a store.
func inNoLog(_ missing: ClosedRange<Int64>, of store: String) -> String {
  missing.count == 1
    ? "Transaction \(missing.lowerBound) of \(store) is in no log"
    : "Transactions \(missing.lowerBound) to \(missing.upperBound) of \(store) are in no log"
}
