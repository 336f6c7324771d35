import Changes

package struct LogError: Error, Worded {
  /// The kind of failure.
  ///
  /// Later versions may add kinds, so a `switch` needs a default.
  package enum Code: Hashable, Sendable {
    case missing, inputOutput, outOfMemory, diskFull, locked, exists
    /// The bytes do not have the writer's form, or do not match their digests.
    case damaged
    /// The file ends before its trailer.
    case incomplete
    case newerFormat, notALog
    /// Transactions between two logs are missing, or occur twice.
    case gap
    /// The operation needs data that a filter left out of the log.
    case filtered
    /// An operation that changes the folder was interrupted.
    case unfinished
    /// The line would be longer than readers accept.
    case lineTooLong
  }

  /// The details of the failure, from which the words of the error are created.
  package let reason: any LogReason
  package let path: String
  /// The line in the file, from 1; zero if the error is not about a line.
  package let line: Int
  /// The transaction that the error is about; zero if the error is not about a transaction.
  package let transaction: Int64

  package init(_ reason: any LogReason, path: String, line: Int = 0, transaction: Int64 = 0) {
    self.reason = reason
    self.path = path
    self.line = line
    self.transaction = transaction
  }

  /// Returns this error with the path that the user gave for the file.
  package func at(_ path: String) -> LogError {
    reason.at(path, line: line, transaction: transaction)
  }

  package var code: Code { reason.code }
  package var wording: Wording { reason.wording(self).withHint(code.hint) }
}

/// A type of reasons for a ``LogError``, usually an enumeration with associated values.
package protocol LogReason: Sendable {
  var code: LogError.Code { get }
  /// The message for an error about a file, a line or a transaction; if the message has no hint,
  /// the hint for the error's code is used.
  func wording(_ error: LogError) -> Wording
}

extension LogReason {
  package func at(_ path: String, line: Int = 0, transaction: Int64 = 0) -> LogError {
    LogError(self, path: path, line: line, transaction: transaction)
  }
}
