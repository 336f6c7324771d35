/// An exit code of a program.
///
/// A number never changes its meaning. New numbers may be added; older scripts treat them as a failure.
package struct ExitCode: Hashable, Sendable {
  package let number: Int32
  package let name: String
  package let meaning: String

  private init(_ number: Int32, name: String, meaning: String) {
    self.number = number
    self.name = name
    self.meaning = meaning
  }

  package static let success = ExitCode(
    0,
    name: "success",
    meaning: "success, even if there was nothing to do"
  )
  package static let found = ExitCode(
    1,
    name: "found",
    meaning: "ran correctly and found differences or damage"
  )
  package static let failure = ExitCode(2, name: "failure", meaning: "failed")
  package static let unreadable = ExitCode(
    4,
    name: "unreadable",
    meaning: "the input can't be read, or has another format or an unsupported version"
  )
  package static let empty = ExitCode(
    5,
    name: "empty",
    meaning: "there was nothing to do, and --error-if-empty was given"
  )
  package static let missing = ExitCode(
    10,
    name: "missing",
    meaning: "a store, folder, file or object is missing"
  )
  package static let locked = ExitCode(
    11,
    name: "locked",
    meaning: "a lock was not obtained in time"
  )
  package static let historyGap = ExitCode(
    12,
    name: "history_gap",
    meaning: "history that is needed was deleted from the store"
  )
  package static let schemaMismatch = ExitCode(
    13,
    name: "schema_mismatch",
    meaning: "the schemas do not match"
  )
  package static let diverged = ExitCode(
    14,
    name: "diverged",
    meaning:
      "the store was restored from an older copy, so its history differs from the exported history"
  )
  package static let differs = ExitCode(
    15,
    name: "differs",
    meaning: "the store differs from the logs, or later changes depend on the transactions to undo"
  )
  package static let filteredLog = ExitCode(
    16,
    name: "filtered_log",
    meaning: "a filtered log, or a log with erased values, can't be replayed"
  )
  package static let unproven = ExitCode(
    17,
    name: "unproven",
    meaning: "the logs are sound, but a part of them is not proven"
  )
  package static let usage = ExitCode(64, name: "usage", meaning: "the command line is wrong")
  package static let interrupted = ExitCode(130, name: "interrupted", meaning: "stopped by SIGINT")
  package static let terminated = ExitCode(143, name: "terminated", meaning: "stopped by SIGTERM")

  /// All exit codes, sorted by number.
  package static let all: [ExitCode] = [
    success, found, failure, unreadable, empty, missing, locked, historyGap, schemaMismatch,
    diverged, differs, filteredLog, unproven, usage, interrupted, terminated,
  ]
}
