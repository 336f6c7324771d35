import ChangeLog

/// Why a command of the pipeline could not do its work: what happened, where, and what to do.
public struct PipelineError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  public enum Code: String, Hashable, Sendable {
    /// Logs that a token speaks of, or that lie between others, are not there.
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
  public let code: Code
  /// What happened and where.
  public let message: String
  /// What to do about it.
  public let hint: String

  init(_ code: Code, _ message: String, hint: String = "") {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The same error in other words.
  public func naming(_ name: (String) -> String) -> PipelineError {
    PipelineError(code, name(message), hint: name(hint))
  }

  /// The sentences.
  public var description: String { hint.isEmpty ? message : "\(message) \(hint)" }
}

/// The error of a folder of logs that is not there.
package func missingFolder(_ logs: LogFolder) -> PipelineError {
  PipelineError(
    .missing,
    "There is no folder \(logs.path).",
    hint: "Name the folder that “travelog export --to” was given."
  )
}
