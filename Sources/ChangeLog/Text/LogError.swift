import Changes

/// The reason why a log could not be written or read.
package struct LogError: Error, Worded {
  /// The kind of failure.
  ///
  /// Later versions may add kinds, so a `switch` needs a default.
  package enum Code: Hashable, Sendable {
    case missing, inputOutput, outOfMemory, diskFull, locked, exists
    /// The bytes are not in the writer's form, or do not match their digests.
    case damaged
    /// The file ends before its trailer.
    case incomplete
    case newerFormat, notALog
    /// Transactions between files are missing or duplicated.
    case gap
    /// The operation needs data that the filtered log leaves out.
    case filtered
    /// An operation on the folder was interrupted.
    case unfinished
    /// A line would be longer than readers accept.
    case lineTooLong
  }

  /// The failure as data; its wording is derived from it.
  package let reason: any LogReason
  package let path: String
  /// The line in the file, from 1; zero if the error is not about a line.
  package let line: Int
  /// The transaction; zero if the error is not about one.
  package let transaction: Int64

  package init(_ reason: any LogReason, path: String, line: Int = 0, transaction: Int64 = 0) {
    self.reason = reason
    self.path = path
    self.line = line
    self.transaction = transaction
  }

  /// The same error with the path that the user gave for the file.
  package func at(_ path: String) -> LogError {
    reason.at(path, line: line, transaction: transaction)
  }

  package var code: Code { reason.code }
  package var wording: Wording { reason.wording(self).withHint(code.hint) }
}

/// The reason for a ``LogError``: an enumeration with payloads.
package protocol LogReason: Sendable {
  var code: LogError.Code { get }
  /// The text for a file, a line and a transaction. If it has no second line, the code's hint is used.
  func wording(_ error: LogError) -> Wording
}

extension LogReason {
  /// The same failure as an error of a file, or of a line or a transaction in it.
  package func at(_ path: String, line: Int = 0, transaction: Int64 = 0) -> LogError {
    LogError(self, path: path, line: line, transaction: transaction)
  }
}
