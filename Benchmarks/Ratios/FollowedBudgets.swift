import Foundation

/// The budgets of a history file beside a database with one table of `count` rows.
struct FollowedBudgets {
  let count: Int
  private let program: ProgramBudgets
  private let folder: URL
  private var database: String { folder.appending(path: "followed.db").path }
  private var history: String { folder.appending(path: "followed.history").path }

  init(count: Int, program: ProgramBudgets, folder: URL) throws {
    self.count = count
    self.program = program
    self.folder = folder
    try execute(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, city TEXT, amount REAL, n INT);
      WITH RECURSIVE i(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM i WHERE x < \(count))
        INSERT INTO t SELECT x, 'name ' || x, 'city ' || x % 1000, x * 1.5, x FROM i;
      """
    )
    _ = try ProgramRun(builtTravelog, ["adopt", database, "--history", history])
  }

  var budgets: [Budget] {
    [
      Budget(
        name: "read 1 % changed rows, against sum(length(…))",
        limit: 6,
        peer: {
          try ProgramRun(
            "sqlite3",
            [
              database,
              "SELECT sum(length(name) + length(city) + length(amount) + length(n)) FROM t",
            ]
          ).seconds
        },
        ours: {
          try execute(
            "UPDATE t SET n = n + 1 WHERE id IN (SELECT abs(random()) % \(count) FROM t LIMIT \(count / 100))"
          )
          return try ProgramRun(builtTravelog, log).seconds
        }
      )
    ]
  }

  var figures: [Figure] {
    [
      Figure(name: "read nothing new, above --no-read, ms", limit: 5) {
        let pairs = try (0..<10).map { _ in
          try ProgramRun(builtTravelog, log).seconds
            - ProgramRun(builtTravelog, log + ["--no-read"]).seconds
        }
        return median(pairs) * 1_000
      },
      Figure(name: "read a commit of ten rows in the log, ms", limit: 2) {
        try commit(1_000)
        let seconds = try ProgramRun(builtTravelog, log).seconds
        // The next run must begin without these commits in the log.
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _ = try ProgramRun(builtTravelog, log)
        return seconds
      },
      Figure(name: "read 1 % changed rows, MiB", limit: 64) {
        try execute("UPDATE t SET n = n + 1 WHERE id % 100 = 7")
        return try program.mebibytes(log)
      },
    ]
  }

  private var log: [String] { ["log", history, "--limit", "1"] }

  private func execute(_ sql: String) throws { _ = try ProgramRun("sqlite3", [database, sql]) }

  /// Commits transactions of ten rows, and leaves them in the write-ahead log.
  private func commit(_ transactions: Int) throws {
    let script = folder.appending(path: "commits.sql")
    let statements = (0..<transactions).map { number in
      let rows = (0..<10).map { "\((number * 7_919 + $0 * 99_991) % count + 1)" }
      return "UPDATE t SET n = n + 1 WHERE id IN (\(rows.joined(separator: ", ")));"
    }
    let text = "PRAGMA wal_autocheckpoint = 0;\n" + statements.joined(separator: "\n")
    try text.write(to: script, atomically: true, encoding: .utf8)
    _ = try ProgramRun(
      "sqlite3",
      [database, ".dbconfig no_ckpt_on_close on", ".read \(script.path)"]
    )
  }
}
