import Foundation
import ProcessTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@testable import travelog

/// Stops commands with the signals of Control-C and a service manager.
@Suite("Signals")
struct InterruptionTests {
  /// A running command, its error messages, and a pipe to it that stays open.
  private struct Running {
    let process = ChildProcess()
    let input = Pipe()
    let errors = Pipe()
    let words: [String]

    init(_ words: [String], in folder: URL) throws {
      self.words = words
      process.executableURL = URL(fileURLWithPath: products + "/travelog")
      process.arguments = words
      process.environment = ["TMPDIR": folder.path + "/tmp"]
      process.standardInput = input
      process.standardOutput = FileHandle.nullDevice
      process.standardError = errors
      try process.run()
    }

    /// Sends a signal, and returns the exit code and the errors.
    func stop(_ signal: Int32) -> (code: Int32, errors: String, time: Duration) {
      let start = ContinuousClock.now
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      let time = ContinuousClock.now - start
      let said = errors.fileHandleForReading.readDataToEndOfFile()
      let code =
        process.terminationReason == .exit
        ? process.terminationStatus : 1000 + process.terminationStatus
      return (code, String(decoding: said, as: UTF8.self), time)
    }
  }

  /// A store with logs, and a folder for temporary files.
  private func withWorld(
    _ body: (_ folder: URL, _ store: String, _ logs: String) throws -> Void
  )
    throws
  {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "signals"))
      world.hasLargeValues = false
      let path = folder.path + "/a.store"
      do {
        let store = try Store.open(.file(URL(fileURLWithPath: path)), schema: worldSchema)
        for _ in 0..<200 { try world.write(to: store) }
      }
      try travelog("export", path, "--to", folder.path + "/logs")
      try travelog("import", folder.path + "/logs", "--into", folder.path + "/b.store")
      // This creates the lock file beside the logs.
      try travelog("verify", folder.path + "/logs")
      try FileManager.default.createDirectory(
        atPath: folder.path + "/tmp",
        withIntermediateDirectories: false
      )
      try Connection(path: folder.path + "/plain.db", mode: .readWriteCreate)
        .execute("CREATE TABLE t(a)")
      try FileManager.default.copyItem(
        atPath: folder.path + "/plain.db",
        toPath: folder.path + "/adopted.db"
      )
      try travelog("adopt", folder.path + "/adopted.db")
      try body(folder, path, folder.path + "/logs")
    }
  }

  /// The names in a folder, except locks and files of open databases.
  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { !$0.hasSuffix("/.lock") && !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }
      .sorted()
  }

  /// A command line of each command that waits: for a store, a log folder, or its input.
  private func waitingCommands(_ folder: URL, _ store: String, _ logs: String) -> [[String]] {
    let replica = folder.path + "/b.store"
    let (database, adopted) = (folder.path + "/plain.db", folder.path + "/adopted.db")
    let wait = ["--lock-wait", "1h"]
    return [
      ["adopt", database], ["adopt", adopted, "--detach"], ["adopt", adopted, "--new-identity"],
      ["adopt", "--suspend", adopted, "--", "true"], ["export", adopted, "--to", logs] + wait,
      ["export", store, "--to", "-"], ["export", store, "--to", logs] + wait,
      ["import", logs, "--into", replica], ["import", "-", "--into", folder.path + "/c.store"],
      ["verify", logs, "--against", store], ["verify", "-"], ["checkpoint", logs] + wait,
      ["prune", store, "--logs", logs] + wait,
      ["status", store, "--logs", logs], ["compact", logs] + wait,
      ["recover", store, "--to", logs] + wait, ["promote", replica], ["check", store],
      ["check", store, "--logs", logs], ["log", store], ["show", store, "3"],
      ["blame", store, "Guest", "1"], ["diff", store, replica], ["report", store],
      ["query", store + "@3", "SELECT * FROM Guest"],
      ["undo", store, "3"], ["undo", store, "3", "--dry-run"],
      ["erase", logs, "--entity", "Guest", "--id", "1"] + wait,
    ]
  }

  @Test(
    "A waiting command ends at a signal at once, and leaves no files.",
    arguments: [SIGINT, SIGTERM]
  )
  func waiting(signal: Int32) throws {
    try withWorld { folder, store, logs in
      let commands = waitingCommands(folder, store, logs)
      let all = Set(Travelog.program.command.subcommands.map(\.name))
      let others: Set = ["completions", "generate", "prove"]
      #expect(all.subtracting(commands.map { $0[0] }) == others)
      // This mode locks out all other readers.
      let databases = ["/b.store", "/plain.db", "/adopted.db"].map { folder.path + $0 }
      let locks = try ([store] + databases).map { path in
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        return connection
      }
      let lock = open(logs + "/.lock", O_RDWR)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX) == 0)
      let before = try names(in: folder)
      let running = try commands.map { try Running($0, in: folder) }
      usleep(1_000_000)
      for command in running {
        #expect(command.process.isRunning, "\(command.words)")
        let end = command.stop(signal)
        #expect(end.code == 128 + signal, "\(command.words): \(end)")
        let message =
          ": Stopped by a signal; nothing is half done.\nRun the command again to continue.\n"
        #expect(end.errors.hasSuffix(message), "\(end)")
        // The signal comes after 0.13 s; a busy machine takes longer.
        #expect(end.time < .seconds(2), "\(command.words): \(end)")
      }
      #expect(try names(in: folder) == before)
      withExtendedLifetime(locks) {}
    }
  }

  @Test(
    "A signal ends the migration of adopt --suspend, and then the triggers are restored.",
    arguments: [SIGINT, SIGTERM]
  )
  func suspension(signal: Int32) throws {
    try withWorld { folder, _, _ in
      let database = folder.path + "/adopted.db"
      let command = try Running(
        ["adopt", "--suspend", database, "--", "/bin/sleep", "600"],
        in: folder
      )
      func hasTriggers() throws -> Bool {
        let connection = try Connection(path: database, mode: .readOnly)
        connection.setBusyTimeout(milliseconds: 10_000)
        let find = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 't'"
        return try connection.integer(find) != 0
      }
      let deadline = ContinuousClock.now + .seconds(20)
      while try hasTriggers(), ContinuousClock.now < deadline { usleep(10_000) }
      #expect(try !hasTriggers())
      // The migration starts after the triggers are removed.
      usleep(500_000)
      let end = command.stop(signal)
      #expect(end.code == 2, "\(end)")
      #expect(end.errors.contains("The triggers are restored"), "\(end)")
      #expect(try hasTriggers())
    }
  }

  @Test("A working command ends at a signal at once, and leaves no copy and no log.")
  func working() throws {
    try withWorld { folder, store, logs in
      let commands = [
        ["check", store], ["check", store, "--logs", logs], ["undo", store, "100", "--dry-run"],
        ["diff", store + "@20", store], ["query", store + "@20", "SELECT * FROM Guest, Place"],
        ["query", logs + "@20", "SELECT * FROM Guest, Place"],
        ["verify", logs, "--against", store],
        ["blame", logs, "Guest", "1", "--history"], ["report", logs],
        ["import", logs, "--into", folder.path + "/c.store"],
      ]
      let before = try names(in: folder)
      for (number, words) in commands.enumerated() {
        for delay in [20_000, 60_000, 120_000] as [UInt32] {
          let command = try Running(words, in: folder)
          usleep(delay)
          let end = command.stop(number.isMultiple(of: 2) ? SIGINT : SIGTERM)
          #expect(end.time < .seconds(2), "\(words): \(end)")
          // A command may end by the signal before it has a handler, or be faster than the signal.
          #expect(end.code != 2, "\(words): \(end)")
          let left = try names(in: folder).filter { !before.contains($0) }
          // A command that is stopped while it writes to the disk leaves SQLite's journal, which the
          // next run applies.
          #expect(left.allSatisfy { $0.hasPrefix("c.store") }, "\(words): \(left)")
        }
      }
      #expect(try travelog("check", store).code == 0)
      #expect(try travelog("import", logs, "--into", folder.path + "/c.store").code == 0)
      #expect(try travelog("diff", store, folder.path + "/c.store").code == 0)
    }
  }
}
