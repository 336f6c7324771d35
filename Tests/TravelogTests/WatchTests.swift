import Foundation
import Glibc
import ProcessTesting
import SQLite
import TestSupport
import Testing

@Suite("adopt --watch")
struct WatchTests {
  private func start(_ database: FollowedDatabase, _ flags: String...) throws -> ChildProcess {
    try start(database, flags)
  }

  private func start(_ database: FollowedDatabase, _ flags: [String]) throws -> ChildProcess {
    let process = ChildProcess()
    process.executableURL = URL(fileURLWithPath: products + "/travelog")
    process.arguments = ["adopt", "--watch", database.history] + flags
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Waits until the history file has a number of transactions, at most two minutes.
  private func wait(for count: Int, in database: FollowedDatabase) throws -> Int {
    let deadline = ContinuousClock.now + .seconds(120)
    while try database.transactions() < count, ContinuousClock.now < deadline { usleep(50_000) }
    return try database.transactions()
  }

  private func end(_ process: ChildProcess, with signal: Int32) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// The numbers that the transactions gave to a note, in their order.
  private func numbers(_ database: FollowedDatabase) throws -> [Int] {
    let lines = try travelog("log", database.history, "--no-read", "--patch", "--limit", "10000")
      .output.split(separator: "\n").filter { $0.contains("number: ") }
    return lines.compactMap { $0.split(separator: ">").last }.compactMap { Int($0.dropFirst()) }
      .reversed()
  }

  @Test(
    "A pinned watch records each commit once and in order, however fast a program writes.",
    .timeLimit(.minutes(5))
  )
  func pinned() throws {
    let database = try FollowedDatabase(
      journal: "WAL",
      sql:
        "CREATE TABLE note(id INTEGER PRIMARY KEY, text, number INT); CREATE TABLE tag(name, value);"
        + " CREATE TABLE loose(a, b); INSERT INTO note VALUES (1, 'x', 0);"
    )
    let user = try Connection(path: database.path, mode: .readWrite)
    try user.execute("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 10")
    let watch = try start(database, "--pin")
    defer { if watch.isRunning { kill(watch.processIdentifier, SIGKILL) } }
    try user.execute("UPDATE note SET text = 'begun'")
    #expect(try wait(for: 2, in: database) == 2)
    let commits = 400
    for number in 1...commits {
      try user.execute("UPDATE note SET number = \(number)")
      if number % 40 == 0 { usleep(30_000) }
    }
    #expect(try wait(for: commits + 2, in: database) == commits + 2)
    #expect(end(watch, with: SIGTERM) == 143)
    #expect(try numbers(database) == Array(1...commits))
    let log = try travelog("log", database.history, "--no-read").output
    #expect(!log.contains("everything since"), "\(log)")
    try database.expectToContinue("after the watch")
  }

  @Test("Without a pin, each commit is recorded, or a difference says what was overwritten.")
  func unpinned() throws {
    let database = try FollowedDatabase(journal: "WAL")
    let user = try Connection(path: database.path, mode: .readWrite)
    try user.execute("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 5")
    let watch = try start(database)
    defer { if watch.isRunning { kill(watch.processIdentifier, SIGKILL) } }
    let commits = 300
    for number in 1...commits {
      try user.execute("UPDATE note SET number = \(number + 10) WHERE id = 1")
      if number % 100 == 0 { usleep(300_000) }
    }
    // After the last commit, nothing overwrites it.
    let deadline = ContinuousClock.now + .seconds(120)
    while try database.rows(database.history) != database.rows(database.path),
      ContinuousClock.now < deadline
    { usleep(50_000) }
    #expect(end(watch, with: SIGINT) == 130)
    let found = try numbers(database)
    #expect(found == found.sorted() && Set(found).count == found.count, "\(found)")
    #expect(found.last == commits + 10)
    let log = try travelog("log", database.history, "--no-read", "--limit", "1000").output
    let isWhole = log.split(separator: "\n").count { $0.contains("[commit]") } == commits
    #expect(
      isWhole || log.contains("; the write-ahead log was begun again")
        || log.contains("; a checkpoint")
    )
    try database.expectToContinue("after the watch")
  }

  @Test(
    "A watch that is killed again and again records each commit once, in order.",
    .timeLimit(.minutes(5)),
    arguments: [[], ["--pin"]]
  )
  func killed(_ flags: [String]) throws {
    var random = SeededGenerator(for: "killed watches \(flags)")
    let database = try FollowedDatabase(journal: "WAL")
    let user = try Connection(path: database.path, mode: .readWrite)
    // The log keeps all commits, so that none may be missing.
    try user.execute("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0")
    var number = 10
    for _ in 0..<trials(8, long: 200) {
      let watch = try start(database, flags)
      let end = ContinuousClock.now + .milliseconds(.random(in: 20..<400, using: &random))
      while ContinuousClock.now < end {
        number += 1
        try user.execute("UPDATE note SET number = \(number) WHERE id = 1")
        usleep(2000)
      }
      kill(watch.processIdentifier, SIGKILL)
      watch.waitUntilExit()
    }
    #expect(try travelog("status", database.history).code == 0)
    #expect(try numbers(database) == Array(11...number))
    #expect(try database.rows(database.history) == database.rows(database.path))
    try database.expectToContinue("after the kills")
  }

  @Test("A database without a write-ahead log is compared at most once in each interval.")
  func interval() throws {
    let database = try FollowedDatabase()
    let watch = try start(database, "--interval", "2s")
    defer { if watch.isRunning { kill(watch.processIdentifier, SIGKILL) } }
    for number in 1...40 {
      try database.execute("UPDATE note SET number = \(number + 10) WHERE id = 1")
      usleep(50_000)
    }
    usleep(2_500_000)
    #expect(end(watch, with: SIGTERM) == 143)
    let count = try database.transactions()
    #expect((2...5).contains(count), "\(count)")
    #expect(try database.rows(database.history) == database.rows(database.path))
  }

  @Test("A watch leaves the database and its folder as they are, and needs a history file.")
  func untouched() throws {
    let database = try FollowedDatabase(journal: "WAL")
    let before = try database.state()
    let watch = try start(database)
    usleep(1_000_000)
    #expect(end(watch, with: SIGTERM) == 143)
    #expect(try database.state() == before)
    #expect(try travelog("adopt", "--watch", database.path).code != 0)
    #expect(try travelog("adopt", "--pin", database.history).code == 64)
  }

  @Test("A dry run recommends a history file with a reason, and status says when it was last read.")
  func recommendation() throws {
    let database = try FollowedDatabase()
    let plain = try travelog("adopt", "--dry-run", database.path, "--json")
    #expect(plain.code == 0 && !plain.output.contains("reason_for_history_file"))
    try database.execute(
      "CREATE TABLE room_master_table(id INTEGER PRIMARY KEY, identity_hash TEXT)"
    )
    let room = try travelog("adopt", "--dry-run", database.path, "--json")
    #expect(room.code == 0 && room.output.contains("reason_for_history_file"), "\(room.output)")
    let status = try travelog("status", database.history, "--json")
    let words = try #require(
      try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
    )
    #expect(words["database"] as? String == database.path)
    #expect(words["read"] is String && words["read_age_seconds"] is Double)
  }
}
