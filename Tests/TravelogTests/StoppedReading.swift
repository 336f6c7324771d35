import Foundation
import SQLite
import TestSupport
import Testing

/// The history of a file as text, without the times of the readings.
private func described(_ history: String) throws -> String {
  let log = try travelog("log", history, "--no-read", "--limit", "1000")
  #expect(log.code == 0, "\(log.errors)")
  return log.output.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "TIME")
}

/// Prepares `adopt --history`.
///
/// After each stop, there is no history file, or a complete one.
func prepareFollowing(_ body: (StoppedRun) throws -> Void) throws {
  let database = try FollowedDatabase()
  let history = database.file("new.history")
  let state = try database.state()
  let expected = try described(database.history)
  let command = ["adopt", database.path, "--history", history]
  try body(
    StoppedRun(arguments: command, folder: database.root, codeWhenDone: 2) {
      try removeStore(history)
    } check: { place in
      let again = try travelog(command)
      #expect(
        again.code == 0 || again.errors.contains("exists already"),
        "\(place): \(again.errors)"
      )
      #expect(try described(history) == expected, "\(place)")
      #expect(try database.rows(history) == database.rows(database.path), "\(place)")
      #expect(try travelog("check", history).code == 0, "\(place)")
      #expect(try database.state() == state, "\(place)")
    }
  )
}

/// Prepares a command that first reads a database.
///
/// After each stop, the next command records the transactions of a run that was not stopped.
func prepareReading(journal: String, _ body: (StoppedRun) throws -> Void) throws {
  let database = try FollowedDatabase(journal: journal)
  // As long as a connection is open, the log remains.
  let user = try Connection(path: database.path, mode: .readWrite)
  try user.execute("PRAGMA wal_autocheckpoint = 0")
  for number in 1...6 {
    try user.execute(
      """
      BEGIN; UPDATE note SET text = 'commit \(number)' WHERE id % 40 = \(number);
      DELETE FROM loose WHERE rowid % 30 = \(number);
      INSERT INTO tag VALUES ('new \(number)', hex(zeroblob(2000))); COMMIT
      """
    )
  }
  let rows = try database.rows(database.path)
  let pristine = database.file("pristine.history")
  try FileManager.default.copyItem(atPath: database.history, toPath: pristine)
  #expect(try database.read().code == 0)
  let expected = try described(database.history)
  #expect(expected.split(separator: "\n").count == (journal == "WAL" ? 7 : 2), "\(expected)")
  try body(
    StoppedRun(arguments: ["log", database.history], folder: database.root) {
      try removeStore(database.history)
      try FileManager.default.copyItem(atPath: pristine, toPath: database.history)
    } check: { place in
      let run = try database.read()
      #expect(run.code == 0, "\(place): \(run.errors)")
      #expect(try described(database.history) == expected, "\(place)")
      #expect(try database.rows(database.history) == rows, "\(place)")
      #expect(try travelog("check", database.history).code == 0, "\(place)")
    }
  )
}
