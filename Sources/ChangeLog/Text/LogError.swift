/// Why a log could not be written or read: what happened, where, and what to do.
package struct LogError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  package enum Code: Hashable, Sendable {
    /// There is no such file or folder.
    case missing
    /// Reading or writing failed.
    case inputOutput
    /// There was no memory.
    case outOfMemory
    /// The disk is full.
    case diskFull
    /// Bytes that the writer would not have written, or digests that do not fit them.
    case damaged
    /// The file ends before its trailer.
    case incomplete
    /// A version of the format, or a feature, that is not known.
    case newerFormat
    /// The file is something else.
    case notALog
    /// A file of that name is there already.
    case exists
    /// Transactions are missing between files, or twice there.
    case gap
    /// Another program works in the folder.
    case locked
    /// The log has something left out, so that it is no good for what was asked.
    case partial
    /// Something was begun in the folder, and not finished.
    case unfinished
    /// A change makes a line that is longer than readers take.
    case lineTooLong
  }

  /// What kind of failure it was.
  package let code: Code
  /// What happened, where, and what to do.
  package let message: String
  /// The end of the message that says what to do; empty if it is not told apart.
  package let hint: String
  /// The file.
  package let path: String
  /// The line in the file, from 1 on; zero where no line is meant.
  package let line: Int
  /// The transaction; zero where none is meant.
  package let transaction: Int64

  /// Makes an error.
  package init(
    _ code: Code,
    _ message: String,
    hint: String = "",
    path: String,
    line: Int = 0,
    transaction: Int64 = 0
  ) {
    self.code = code
    self.message = hint.isEmpty ? message : "\(message) \(hint)"
    self.hint = hint
    self.path = path
    self.line = line
    self.transaction = transaction
  }

  /// The sentence.
  package var description: String { message }
}

extension LogError {
  static func memory(_ path: String) -> LogError {
    LogError(
      .outOfMemory,
      "There was no memory left for the log \(path). Try again when other programs need less, or raise"
        + " the limit of this one.",
      path: path
    )
  }
}
