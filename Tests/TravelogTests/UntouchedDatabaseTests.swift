import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@Suite(
  "A database with a history file keeps every byte",
  .enabled(if: installed("python3") != nil, "there is no python3")
)
struct UntouchedDatabaseTests {
  /// Commands that read the history file; each begins with a look at the database.
  private func commands(_ database: FollowedDatabase) -> [[String]] {
    let (history, logs) = (database.history, database.file("logs"))
    return [
      ["log", history], ["show", history, "2"], ["status", history], ["check", history],
      ["blame", history, "note", "1"], ["diff", history + "@1", history],
      ["query", history + "@1", "SELECT * FROM note"],
      ["report", history],
      ["export", history, "--to", logs], ["verify", logs, "--against", history],
      ["check", history, "--logs", logs], ["import", logs, "--into", database.file("replica.db")],
      ["prune", history, "--logs", logs, "--keep", "0s"],
      ["erase", logs, "--store", history, "--entity", "note", "--id", "2"],
      ["recover", history, "--to", logs], ["undo", history, "2"], ["promote", history],
      ["adopt", history], ["adopt", "--detach", history], ["adopt", "--new-identity", history],
      ["adopt", "--suspend", history, "--", "true"], ["adopt", history, "--without-table", "tag"],
      ["import", logs, "--into", history], ["log", history, "--no-read"],
    ]
  }

  /// The commands that can't change a database that is only read.
  private static let refused = ["undo", "promote", "adopt"]

  @Test(
    "No command changes a byte, a time or the folder, and those that can't work say why.",
    arguments: ["DELETE", "WAL"],
    [false, true]
  )
  func commands(_ journal: String, _ isOpen: Bool) throws {
    let database = try FollowedDatabase(journal: journal)
    let user = isOpen ? try DatabaseUser(database.path, waitingProgram) : nil
    for (number, words) in commands(database).enumerated() {
      // The time of the file must differ from that of the last reading.
      try database.execute("UPDATE note SET number = number + 1 WHERE id = 1")
      if words[0] == "erase" { try database.execute("DELETE FROM note WHERE id = 2") }
      if words[0] == "erase" { try travelog("export", database.history, "--to", words[1]) }
      let before = try database.state()
      let run = try travelog(words)
      #expect(try database.state() == before, "\(words)")
      let isRefused =
        Self.refused.contains(words[0]) || words[0] == "import" && words.last == database.history
      let codes: [Int32] = isRefused ? [2, 64] : words[0] == "diff" ? [0, 1] : [0]
      #expect(codes.contains(run.code), "\(number) \(words): \(run.code) \(run.errors)")
      if isRefused { #expect(run.errors.contains(". ") || run.errors.contains(".\n"), "\(words)") }
    }
    user?.end()
    try database.expectToContinue("the end")
    let replica = database.file("new.db")
    let logs = database.file("logs")
    #expect(try travelog("export", database.history, "--to", logs).code == 0)
    let restored = try travelog("import", logs, "--into", replica)
    #expect(restored.code == 0, "\(restored.errors)")
    #expect(try database.rows(replica) == database.rows(database.path))
  }

  @Test(
    "A database is read without permission to write to it or to its folder.",
    .enabled(if: installed("setpriv") != nil && geteuid() == 0, "only root can be another user"),
    arguments: ["DELETE", "WAL"]
  )
  func permissions(_ journal: String) throws {
    let database = try FollowedDatabase(journal: journal)
    let root = URL(fileURLWithPath: database.history).deletingLastPathComponent().path
    chown(root, 65534, 65534)
    chown(database.history, 65534, 65534)
    // A log remains, as after the end of a program that could not close the database.
    let user = try DatabaseUser(database.path, waitingProgram)
    for (file, folder) in [(0o444, 0o555), (0o644, 0o555), (0o444, 0o755)] as [(mode_t, mode_t)] {
      try database.execute("UPDATE note SET number = number + 1 WHERE id = 1")
      for name in ["", "-wal", "-shm"] { chmod(database.path + name, file) }
      chmod(database.folder, folder)
      let before = try database.state()
      let result = try run(
        #require(installed("setpriv")),
        ["--reuid=65534", "--regid=65534", "--clear-groups", products + "/travelog", "log"]
          + [database.history]
      )
      #expect(result.code == 0, "\(result.errors)")
      #expect(try database.state() == before)
      #expect(try database.rows(database.history) == database.rows(database.path))
      for name in ["", "-wal", "-shm"] { chmod(database.path + name, 0o644) }
      chmod(database.folder, 0o755)
    }
    user.end()
  }

  @Test(
    "A program that keeps its locks between transactions is followed too.",
    arguments: ["DELETE", "PERSIST", "TRUNCATE", "WAL"]
  )
  func exclusive(_ journal: String) throws {
    let database = try FollowedDatabase(journal: journal)
    let user = try DatabaseUser(
      database.path,
      """
      c.execute("PRAGMA locking_mode = EXCLUSIVE")
      c.execute("UPDATE note SET number = 12345 WHERE id = 1")
      print("ready", flush=True)
      sys.stdin.read()
      """
    )
    let before = try database.state()
    let run = try database.read()
    #expect(run.code == 0 && run.output.contains("~1 note"), "\(run.output)\(run.errors)")
    #expect(try database.state() == before)
    #expect(try database.rows(database.history).contains { $0.hasSuffix(",12345") })
    user.end()
    try database.expectToContinue("the end")
  }

  @Test(
    "A program that writes without a pause never finds the database locked, and never waits.",
    arguments: ["DELETE", "WAL"]
  )
  func writer(_ journal: String) throws {
    let database = try FollowedDatabase(journal: journal)
    let user = try DatabaseUser(
      database.path,
      """
      c.execute("PRAGMA busy_timeout = 0"); c.execute("PRAGMA synchronous = OFF")
      import threading
      ended = []
      threading.Thread(target=lambda: (sys.stdin.read(), ended.append(1)), daemon=True).start()
      print("ready", flush=True)
      count, longest, error = 0, 0.0, ""
      while not ended and not error:
          start = time.thread_time()
          try:
              c.execute("UPDATE note SET number = number + 1 WHERE id = %d" % (count % 600 + 1))
          except sqlite3.OperationalError as found:
              error = str(found)
          longest = max(longest, time.thread_time() - start)
          count += 1
          time.sleep(0.002)
      print(count, longest, error)
      """
    )
    var read = 0
    for _ in 0..<trials(12, long: 100) {
      let run = try database.read()
      // Between two commits in a rollback journal there may be too little time for a reading.
      #expect(run.code == 0 || run.code == 11, "\(run.errors)")
      if run.code == 0 { read += 1 }
    }
    let words = user.end().split(separator: "\n").last?.split(separator: " ", maxSplits: 2) ?? []
    #expect(words.count == 2, "\(words)")
    #expect((Int(words.first ?? "") ?? 0) > 20)
    #expect((Double(words.dropFirst().first ?? "") ?? 1) < 0.1)
    if journal == "WAL" { #expect(read > 0) }
    try database.expectToContinue("the end")
  }
}
