import Format
import Glibc

package struct LogError: Error, Worded {
  /// The kind of failure.
  ///
  /// Later versions may add kinds, so a `switch` needs a default.
  package enum Code: Hashable, Sendable {
    case missing, inputOutput, outOfMemory, diskFull, locked, exists
    /// The user may not read the file or the folder.
    case notPermitted
    /// The bytes do not have the writer's form, or do not match their digests.
    case damaged
    /// The file ends before its trailer.
    case incomplete
    case newerFormat, notALog
    /// A file that other programs would read as a log, but that is not a log in its place.
    case stray
    /// Transactions between two logs are missing, or occur twice.
    case gap
    /// The operation needs data that a filter left out of the log.
    case filtered
    /// An operation that changes the folder was interrupted.
    case unfinished
    /// The line would be longer than readers accept.
    case lineTooLong
    /// A part of the tree beside the logs is missing.
    case missingTile
    /// A tree, a checkpoint or a proof contradicts another one or the logs, or lacks a signature.
    case refuted
  }

  package let code: Code
  package let path: String
  /// The line in the file, from 1; zero if the error is not about a line.
  package let line: Int
  /// The transaction that the error is about; zero if the error is not about a transaction.
  package let transaction: Int64
  package let wording: Wording

  /// Creates an error from its words; if they have no hint, the hint for the code is used.
  package init(
    _ code: Code,
    _ path: String,
    line: Int = 0,
    transaction: Int64 = 0,
    _ wording: () -> Wording
  ) {
    self.code = code
    self.path = path
    self.line = line
    self.transaction = transaction
    self.wording = wording().withHint(code.hint)
  }

  /// Returns this error with other names for paths.
  package func naming(_ name: (String) -> String) -> LogError {
    LogError(code, name(path), line: line, transaction: transaction) { wording.naming(name) }
  }
}

extension LogError.Code {
  /// The usual remedy for failures of this code; empty if there is no usual remedy.
  package var hint: String {
    switch self {
    case .damaged, .refuted: "Compare the file with another copy."
    case .incomplete: "Copy the log again from its source, or export the log again."
    case .newerFormat: StoreError.Code.newerFormat.hint
    case .diskFull: StoreError.Code.diskFull.hint
    case .outOfMemory: StoreError.Code.outOfMemory.hint
    case .notALog: "Name a log, or the folder that you gave to \(inQuotes("travelog export --to"))."
    default: ""
    }
  }
}

/// The error of a failed system call, by default of the last one.
package func diskError(_ verb: String, path: String, number: Int32 = errno) -> LogError {
  let code: LogError.Code =
    switch number {
    case ENOSPC, EDQUOT: .diskFull
    case ENOENT, ENOTDIR: .missing
    case EACCES where verb == "read" || verb == "open": .notPermitted
    default: .inputOutput
    }
  return LogError(code, path) {
    let message: Wording = "Can't \(verb) \(path): \(systemText(number))."
    return switch number {
    case EACCES: message + "\n" + permissionHint(for: path)
    case ENOLCK:
      message
        + "\nIf this file system has no locks, such as NFS without lockd, move the log folder to a"
        + " local disk."
    default: message
    }
  }
}

func outOfMemory(_ path: String) -> LogError {
  LogError(.outOfMemory, path) { "There is not enough memory for the log \(path)." }
}

func notAHeader(_ path: String, line: Int) -> LogError {
  LogError(.notALog, path, line: line) {
    "\(path) is not a log: line \(line) is not the header of a log."
  }
}

func emptyFile(_ path: String) -> LogError {
  LogError(.notALog, path) { "\(path) is empty, so it is not a log." }
}
