import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@Suite("A database that can't be read, or that is another one")
struct UnreadableDatabaseTests {
  /// Overwrites a file, which remains the same file.
  private func overwrite(_ path: String, with bytes: Data) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: bytes)
    try file.close()
  }

  private func replace(_ path: String, with other: String) throws {
    #expect(rename(other, path) == 0)
  }

  @Test(
    "A file that is not a readable database is an error with a place, and the history goes on later.",
    arguments: ["DELETE", "WAL"]
  )
  func damage(_ journal: String) throws {
    let database = try FollowedDatabase(journal: journal)
    let good = try Data(contentsOf: URL(fileURLWithPath: database.path))
    let pages = good.count / 1024
    var random = SeededGenerator(for: "damaged databases")
    var cases: [(name: String, bytes: Data, codes: [Int32])] = [
      ("text", Data("This is not a database, but a text of some words.\n".utf8), [4]),
      ("empty", Data(), [2, 4]),
      ("a part of the header", good.prefix(60), [4]),
      ("half", good.prefix(pages / 2 * 1024 + 100), [2, 4]),
      (
        "random", Data((0..<good.count).map { _ in UInt8.random(in: 0...255, using: &random) }), [4]
      ),
    ]
    // Pages of each kind are damaged, and what nobody needs can be damaged without an error.
    for page in stride(from: 1, to: pages, by: trials(max(1, pages / 12), long: 1)) {
      for (kind, byte) in [("zeros", UInt8(0)), ("ones", 0xff), ("leaf", 0x0d)] {
        var bytes = good
        let start = page * 1024
        bytes.replaceSubrange(
          start..<start + (kind == "leaf" ? 1 : 600),
          with: repeatElement(byte, count: kind == "leaf" ? 1 : 600)
        )
        cases.append(("page \(page + 1) with \(kind)", bytes, [0, 2, 4]))
      }
    }
    var errors = 0
    for (name, bytes, codes) in cases {
      let before = (try database.transactions(), try database.rows(database.history))
      try overwrite(database.path, with: bytes)
      let state = try database.state()
      let run = try database.read()
      #expect(codes.contains(run.code), "\(name): \(run.code) \(run.output) \(run.errors)")
      #expect(try database.state() == state, "\(name)")
      if run.code != 0 {
        errors += 1
        #expect(run.errors.contains("app.db"), "\(name): \(run.errors)")
        #expect(try database.transactions() == before.0, "\(name)")
        #expect(try database.rows(database.history) == before.1, "\(name)")
      }
      try overwrite(database.path, with: good)
      if run.code != 0 || errors % 5 == 0 {
        let again = try database.read()
        #expect(again.code == 0, "\(name): \(again.errors)")
        #expect(try database.rows(database.history) == database.rows(database.path), "\(name)")
      }
    }
    #expect(errors >= 10)
    try database.expectToContinue("the end")
  }

  @Test("SQLite and a reading see the same commits in a damaged or foreign write-ahead log.")
  func logs() throws {
    let database = try FollowedDatabase(journal: "WAL")
    let user = try Connection(path: database.path, mode: .readWrite)
    try user.execute("PRAGMA wal_autocheckpoint = 0")
    for id in 1...8 {
      try user.execute("UPDATE note SET text = 'commit \(id)' WHERE id = \(id * 50)")
    }
    let main = try Data(contentsOf: URL(fileURLWithPath: database.path))
    let log = try Data(contentsOf: URL(fileURLWithPath: database.path + "-wal"))
    let other = try FollowedDatabase(
      journal: "WAL",
      sql: FollowedDatabase.schema + "DROP TABLE tag;"
    )
    let foreign = try Connection(path: other.path, mode: .readWrite)
    try foreign.execute("DELETE FROM loose")
    let foreignLog = try Data(contentsOf: URL(fileURLWithPath: other.path + "-wal"))
    func flipped(_ offset: Int) -> Data {
      var bytes = log
      bytes[offset] ^= 0x55
      return bytes
    }
    let frame = 24 + 1024
    let cases: [(String, Data)] = [
      ("whole", log), ("bad checksum", flipped(32 + 5 * frame + 20)),
      ("bad page", flipped(32 + 3 * frame + 500)), ("other salts", flipped(18)),
      ("other frame salts", flipped(32 + 4 * frame + 9)), ("zero length", Data()),
      ("half a header", log.prefix(20)), ("in a frame", log.prefix(32 + 6 * frame + 700)),
      ("the header alone", log.prefix(32)), ("of another database", foreignLog),
    ]
    for (name, bytes) in cases {
      // Each log meets a history file that has seen only the main file.
      let copy = database.file("place \(name)")
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
      let (path, history) = (copy + "/app.db", database.file("\(name).history"))
      try main.write(to: URL(fileURLWithPath: path))
      #expect(try travelog("adopt", path, "--history", history).code == 0)
      try bytes.write(to: URL(fileURLWithPath: path + "-wal"))
      let run = try travelog("log", history)
      let seen = database.file("seen \(name).db")
      try main.write(to: URL(fileURLWithPath: seen))
      try bytes.write(to: URL(fileURLWithPath: seen + "-wal"))
      do {
        let rows = try database.rows(seen)
        #expect(run.code == 0, "\(name): \(run.errors)")
        #expect(try database.rows(history) == rows, "\(name)")
      } catch {
        // SQLite can't read the pages either.
        #expect(name == "of another database", "\(error)")
      }
      #expect(try travelog("check", history, "--no-read").code == 0, "\(name)")
    }
  }

  @Test(
    "If a program was killed while it wrote, the state before is shown, and its files stay.",
    .enabled(if: installed("python3") != nil, "there is no python3")
  )
  func hotJournal() throws {
    let database = try FollowedDatabase()
    try database.execute("UPDATE note SET number = 5 WHERE id = 1")
    let rows = try database.rows(database.path)
    let user = try DatabaseUser(
      database.path,
      """
      c.execute("PRAGMA cache_size = 1"); c.execute("BEGIN")
      c.execute("UPDATE note SET text = 'spilled', number = 99")
      print("ready", flush=True)
      sys.stdin.read()
      """
    )
    // While the program lives, nobody knows whether it will commit.
    let busy = try database.read()
    #expect(busy.code == 11, "\(busy.output)\(busy.errors)")
    user.kill()
    #expect(FileManager.default.fileExists(atPath: database.path + "-journal"))
    let state = try database.state()
    let run = try database.read()
    #expect(run.code == 0, "\(run.errors)")
    #expect(try database.state() == state)
    #expect(try database.rows(database.history) == rows)
    let folder = URL(fileURLWithPath: database.history).deletingLastPathComponent().path
    #expect(
      try !FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.hasPrefix(".") }
    )
    let count = try database.transactions()
    // The next program rolls the transaction back.
    #expect(try database.rows(database.path) == rows)
    #expect(try database.read().code == 0)
    #expect(try database.transactions() == count)
    try database.expectToContinue("the end")
  }

  @Test("A copy of the database is recorded as a difference, and an unrelated file is refused.")
  func replaced() throws {
    let database = try FollowedDatabase()
    let (old, vacuumed) = (database.file("old.db"), database.file("vacuumed.db"))
    try FileManager.default.copyItem(atPath: database.path, toPath: old)
    try database.execute(
      "UPDATE note SET number = 77 WHERE id < 20; DELETE FROM tag WHERE value LIKE 't%1'"
    )
    #expect(try database.read().code == 0)
    let count = try database.transactions()
    try database.execute("VACUUM INTO '\(vacuumed)'")
    try replace(database.path, with: vacuumed)
    #expect(try database.read().code == 0)
    #expect(try database.transactions() == count, "nothing differs")
    try replace(database.path, with: old)
    #expect(try database.read().code == 0)
    #expect(try database.transactions() == count + 1)
    #expect(try database.rows(database.history) == database.rows(database.path))

    let (unrelated, others) = (database.file("unrelated.db"), database.file("other rows.db"))
    try Connection(path: unrelated, mode: .readWriteCreate)
      .execute("CREATE TABLE city(name); INSERT INTO city VALUES ('Oslo')")
    try Connection(path: others, mode: .readWriteCreate).execute(
      FollowedDatabase.schema
        + "UPDATE note SET text = 'other'; UPDATE tag SET value = 'other'; DELETE FROM loose;"
    )
    let mine = database.file("mine.db")
    for other in [unrelated, others] {
      try FileManager.default.copyItem(atPath: database.path, toPath: mine)
      try replace(database.path, with: other)
      let run = try database.read()
      #expect(run.code == 14, "\(run.code) \(run.output) \(run.errors)")
      #expect(run.errors.contains("--database"), "\(run.errors)")
      #expect(try database.transactions() == count + 1)
      try replace(database.path, with: mine)
      #expect(try database.read().code == 0)
    }
    try database.expectToContinue("the end")
  }

  @Test("A change is recorded even if a program sets the time of the file back.")
  func time() throws {
    let database = try FollowedDatabase()
    var status = stat()
    #expect(stat(database.path, &status) == 0)
    try database.execute("UPDATE note SET number = 8 WHERE number = 6")
    var times = [status.st_atim, status.st_mtim]
    #expect(utimensat(AT_FDCWD, database.path, &times, 0) == 0)
    #expect(try database.read().output.contains("~85 note"))
    #expect(try database.rows(database.history) == database.rows(database.path))
  }

  @Test("If the database is missing, the error says how to give its new path, which is remembered.")
  func moved() throws {
    let database = try FollowedDatabase()
    let moved = database.file("moved.db")
    try database.execute("UPDATE note SET number = 3 WHERE id = 7")
    try replace(moved, with: database.path)
    let run = try database.read()
    #expect(run.code == 10 && run.errors.contains("--database"), "\(run.code) \(run.errors)")
    let relative = try TravelogTests.run(
      "/usr/bin/env",
      ["-C", URL(fileURLWithPath: moved).deletingLastPathComponent().path, products + "/travelog"]
        + ["adopt", database.history, "--database", "moved.db"]
    )
    #expect(relative.code == 0, "\(relative.errors)")
    try Connection(path: moved, mode: .readWrite).execute("DELETE FROM note WHERE id = 7")
    #expect(try database.read().code == 0)
    #expect(try database.rows(database.history) == database.rows(moved))
  }
}
