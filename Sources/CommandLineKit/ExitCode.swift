/// How a program ended, as those who started it see it.
///
/// The numbers are a promise to scripts: more may come, and none changes its meaning. A number that
/// a script does not know means failure.
package struct ExitCode: Hashable, Sendable {
  /// What the system is told.
  package let number: Int32
  /// The name that messages for programs have for it.
  package let name: String
  /// What it means, for the help.
  package let meaning: String

  private init(_ number: Int32, _ name: String, _ meaning: String) {
    self.number = number
    self.name = name
    self.meaning = meaning
  }

  /// All is well; that there was nothing to do is well too.
  package static let success = ExitCode(0, "success", "success; nothing to do is success")
  /// The program ran as it should, and found what it was to look for.
  package static let found = ExitCode(1, "found", "ran correctly and found differences or damage")
  /// Something failed that has no code of its own.
  package static let failure = ExitCode(2, "failure", "failed")
  /// The input is not what it should be.
  package static let unreadable = ExitCode(
    4,
    "unreadable",
    "the input can't be read, is of another format or of an unsupported version"
  )
  package static let empty = ExitCode(5, "empty", "there was nothing to do, and --error-if-empty")
  /// A file or folder that is needed is not there.
  package static let missing = ExitCode(10, "missing", "a store, folder, file or object is missing")
  /// Somebody else holds a lock.
  package static let locked = ExitCode(11, "locked", "a lock was not obtained in time")
  /// History does not reach back as far as it should.
  package static let historyGap = ExitCode(
    12,
    "history_gap",
    "the token is older than the oldest transaction that is kept"
  )
  /// The schemas of two sides do not go together.
  package static let schemaMismatch = ExitCode(13, "schema_mismatch", "the schemas do not match")
  /// A store's history is another one than that which was exported.
  package static let diverged = ExitCode(
    14,
    "diverged",
    "the store's history is not the one that was exported: it was restored from an older copy"
  )
  /// What was to be changed is not there as it should be.
  package static let differs = ExitCode(
    15,
    "differs",
    "the store is not as the logs say, so that nothing more was applied"
  )
  /// A log that has something left out, where a whole one is needed.
  package static let partialLog = ExitCode(
    16,
    "partial_log",
    "a log has something left out, so that it can't be replayed"
  )
  package static let usage = ExitCode(64, "usage", "the command line is wrong")
  /// Somebody pressed Control-C.
  package static let interrupted = ExitCode(130, "interrupted", "stopped by SIGINT")
  /// Somebody asked the program to end.
  package static let terminated = ExitCode(143, "terminated", "stopped by SIGTERM")

  /// All of them, by number.
  package static let all: [ExitCode] = [
    success, found, failure, unreadable, empty, missing, locked, historyGap, schemaMismatch,
    diverged, differs, partialLog, usage, interrupted, terminated,
  ]
}
