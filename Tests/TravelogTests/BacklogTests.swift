import Foundation
import ProcessTesting
import SQLite
import TestSupport
import Testing

@Suite("Recording a backlog of captured changes")
struct BacklogTests {
  private static let journals = ["DELETE", "WAL"]
  /// What the program does to its tables after the captured changes.
  private static let migrations = ["SELECT 1", "ALTER TABLE t ADD COLUMN x DEFAULT 7"]

  private func start(_ arguments: String...) throws -> ChildProcess {
    let child = ChildProcess()
    child.executableURL = URL(fileURLWithPath: products + "/travelog")
    child.arguments = arguments
    child.environment = [:]
    child.standardInput = FileHandle.nullDevice
    child.standardOutput = FileHandle.nullDevice
    try child.run()
    return child
  }

  @Test(
    "Commands that run at once on one backlog wait for each other, and record each change once.",
    arguments: journals,
    migrations
  )
  func together(journal: String, migration: String) throws {
    var random = SeededGenerator(for: "commands at once")
    try withTemporaryFolder { folder in
      let backlog = try Backlog(journal: journal, large: trials(1500, long: 10_000), in: folder)
      for round in 1...trials(2, long: 20) {
        try backlog.prepare(migration)
        let logs = folder.path + "/logs-\(round)"
        let commands = try [
          start("export", backlog.path, "--to", logs), start("check", backlog.path),
          start("status", backlog.path),
        ]
        let killed = round % 2 == 0 ? commands.randomElement(using: &random) : nil
        if let killed {
          usleep(.random(in: 20_000..<600_000, using: &random))
          kill(killed.processIdentifier, SIGKILL)
          killed.waitUntilExit()
        }
        for (number, command) in commands.enumerated() {
          command.waitUntilExit()
          #expect(command.terminationStatus == 0 || command === killed, "\(round) \(number)")
        }
        try backlog.check(logs: logs, "round \(round)")
      }
    }
  }

  @Test(
    "Beside the recording of a backlog, a program with a short timeout can always write.",
    arguments: journals,
    migrations
  )
  func writer(journal: String, migration: String) throws {
    try withTemporaryFolder { folder in
      let backlog = try Backlog(journal: journal, large: 12_000, in: folder)
      var (writes, holds): (Int, [Duration]) = (0, [])
      let end = ContinuousClock.now + .seconds(trials(1, long: 60))
      repeat {
        for isMeasuring in [false, true] {
          try backlog.prepare(migration)
          let program = try Connection(path: backlog.path, mode: .readWrite)
          // This is SQLite's own way to wait, which other programs have. After a change of its columns,
          // the table is read once under the lock, which takes longer while other tests run.
          let timeout = migration.hasPrefix("ALTER") ? 5000 : 1000
          try program.execute("PRAGMA busy_timeout = \(isMeasuring ? 0 : timeout)")
          let command = try start("status", backlog.path)
          if isMeasuring {
            holds += try timesOfLock(program) { command.isRunning }
          } else {
            while command.isRunning {
              try program.execute("UPDATE t SET v = v + 1 WHERE id = 2")
              writes += 1
              usleep(1000)
            }
          }
          #expect(command.terminationStatus == 0)
        }
      } while ContinuousClock.now < end
      let sorted = holds.sorted()
      let median = try #require(sorted.isEmpty ? nil : sorted[sorted.count / 2])
      print(
        "\(journal): \(writes) writes beside the recording; the write lock was held"
          + " \(sorted.count) times for \(median) (median), at most \(sorted.last ?? .zero)"
      )
      #expect(median <= .milliseconds(50))
      #expect(writes > 10)
    }
  }

  /// The times for which another program had the write lock, while the closure returns true.
  private func timesOfLock(
    _ connection: Connection,
    while isRunning: () -> Bool
  ) throws -> [Duration] {
    var times: [Duration] = []
    var begin: ContinuousClock.Instant?
    while isRunning() {
      do {
        try connection.execute("BEGIN IMMEDIATE; ROLLBACK")
        if let begin { times.append(ContinuousClock.now - begin) }
        begin = nil
      } catch SQLiteError.busy {
        begin = begin ?? .now
      }
      usleep(500)
    }
    return times
  }
}
