import Format
import Foundation
import Pipeline
import ProcessTesting
import Store
import TestSupport
import Testing

/// Random programs change databases that a history file follows.
@Suite(
  "Databases that are only read",
  .enabled(if: isInstalled("python3") && isInstalled("sqlite3"), "there is no python3 or sqlite3")
)
struct FollowedCollectionTests {
  private let count = trials(25, long: 400)

  @Test(
    "After each reading the history file has the tables of the database, and so has a replica.",
    arguments: SampleSchema.sixths(from: 3),
    Client.allCases
  )
  func readings(_ sample: SampleSchema, _ client: Client) throws {
    let world = try AdoptedWorld(client.journal + sample.sql, isAdopted: false)
    try world.follow()
    try world.expectSameTables("the beginning")
    let silent = client == .shell ? "--silent" : "--temporary"
    for (round, flags) in [[], [silent], ["--ddl", "--drop"], ["--checkpoints"]].enumerated() {
      try world.run(
        RandomProgram(
          client: client,
          seed: "\(sample.name) beside \(round)",
          statements: count,
          flags: ["--large"] + flags
        )
      )
      try world.expectSameTables("round \(round)")
      let head = try world.history().count
      try world.expectSameTables("round \(round) again")
      #expect(try world.history().count == head, "nothing changed")
    }
    for sql in [
      "VACUUM", "PRAGMA journal_mode = WAL", "PRAGMA journal_mode = DELETE",
      "PRAGMA user_version = 12",
    ] {
      try world.run(sql)
      try world.expectSameTables(sql)
    }
    #expect(try world.changes().allSatisfy { $0.author == nil && $0.detail("read") != nil })
    try world.exportLogs()
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
    #expect(try world.findings(world.store) == [])
  }

  @Test(
    "While a reader holds the log, each commit becomes one transaction, in the order of commits.",
    arguments: SampleSchema.sixths(from: 4),
    Client.allCases
  )
  func pinned(_ sample: SampleSchema, _ client: Client) throws {
    let world = try AdoptedWorld("PRAGMA journal_mode = WAL;" + sample.sql, isAdopted: false)
    let copies = world.file("copies")
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    let pin = try RunningProgram(
      ["PRAGMA wal_autocheckpoint = 0", "BEGIN", "SELECT count(*) FROM sqlite_master"],
      on: world.path
    )
    try world.follow()
    let before = try recordedRows(of: world.path)
    let silent = client == .shell ? "--silent" : "--temporary"
    for (round, flags) in [[silent], ["--ddl", "--drop"]].enumerated() {
      let folder = copies + "/\(round)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try world.run(
        RandomProgram(
          client: client,
          seed: "\(sample.name) pinned \(round)",
          statements: count,
          flags: ["--large", "--copies", folder] + flags
        )
      )
      _ = try readableStore(world.store)
    }
    pin.end()
    let names = try (0..<2).flatMap { round in
      try FileManager.default.contentsOfDirectory(atPath: copies + "/\(round)").sorted()
        .map { "\(copies)/\(round)/\($0)" }
    }
    let committed = distinct(try [before] + names.map { try recordedRows(of: $0) })
    let recorded = try world.recordedStates()
    for (index, state) in recorded.enumerated().dropFirst() {
      #expect(state.transaction.detail("read") == "commit", "\(state.transaction)")
      // A commit that changed no row and no definition is not recorded.
      guard state.rows == recorded[index - 1].rows else { continue }
      #expect(state.transaction.details.contains("replaced"), "\(state.transaction)")
    }
    expectSame(distinct(recorded.map(\.rows)), committed)
  }

  @Test(
    "While a program writes, each recorded state is the state after a commit, in order.",
    arguments: SampleSchema.sixths(from: 5),
    Client.allCases
  )
  func concurrent(_ sample: SampleSchema, _ client: Client) throws {
    let world = try AdoptedWorld(client.journal + sample.sql, isAdopted: false)
    let copies = world.file("copies")
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    try world.follow()
    let before = try recordedRows(of: world.path)
    let running = try RunningProgram(
      RandomProgram(
        client: client,
        seed: "\(sample.name) concurrent",
        statements: count,
        flags: ["--large", "--checkpoints", "--copies", copies]
      ).command(on: world.path)
    )
    while running.isRunning {
      do {
        _ = try readableStore(world.store)
      } catch let error as StoreError where error.code == .locked {
        // The program writes without a pause.
      }
      usleep(10_000)
    }
    try running.waitForSuccess()
    try world.expectSameTables("the end")
    let names = try FileManager.default.contentsOfDirectory(atPath: copies).sorted()
    let states = try names.map { try recordedRows(of: "\(copies)/\($0)") }
    var committed = distinct([before] + states)[...]
    for state in try world.recordedStates() {
      guard let place = committed.firstIndex(of: state.rows) else {
        Issue.record("\(state.transaction) has no state of a commit")
        continue
      }
      committed = committed[place...]
    }
  }

  @Test(
    "In UTF-16, the history file has the bytes of texts with unpaired surrogates.",
    arguments: SampleSchema.few,
    Client.allCases
  )
  func utf16(_ sample: SampleSchema, _ client: Client) throws {
    let encoding = client == .python ? "UTF-16le" : "UTF-16be"
    let world = try AdoptedWorld(
      client.journal + sample.sql,
      encoding: encoding,
      isAdopted: false
    )
    try world.follow()
    for flags in [["--checkpoints"], ["--ddl", "--drop"], []] {
      try world.run(
        RandomProgram(
          client: client,
          seed: "\(sample.name) \(flags)",
          statements: count,
          flags: ["--large", "--encoding", encoding] + flags
        )
      )
      try world.expectSameTables("\(flags)")
    }
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
    #expect(try world.findings(world.store) == [])
  }

  @Test(
    "Values that are left out do not get into the history file, also after changes of tables.",
    arguments: ["DELETE", "WAL"]
  )
  func leftOut(_ journal: String) throws {
    let world = try AdoptedWorld(
      """
      PRAGMA journal_mode = \(journal);
      CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT, password TEXT NOT NULL);
      CREATE TABLE session(key TEXT PRIMARY KEY NOT NULL, data);
      CREATE TABLE account(name TEXT PRIMARY KEY NOT NULL, pin INT NOT NULL UNIQUE) WITHOUT ROWID;
      INSERT INTO user VALUES (1, 'Ann', 'SECRET 1');
      INSERT INTO session VALUES ('SECRET 2', 'SECRET 3');
      INSERT INTO account VALUES ('a', 'SECRET 4');
      """,
      isAdopted: false
    )
    let leftOut = [
      LeftOut(table: "user", column: "password"), LeftOut(table: "session"),
      LeftOut(table: "account", column: "pin"),
    ]
    try world.follow(leavingOut: leftOut)
    let user = try RunningProgram(["BEGIN", "SELECT * FROM user"], on: world.path)
    defer { user.end() }
    for (sql, isRecorded) in [
      ("INSERT INTO user VALUES (2, 'Bob', 'SECRET 5')", true),
      ("UPDATE user SET password = 'SECRET 6'", false),
      ("UPDATE session SET data = 'SECRET 7'", false),
      ("UPDATE account SET pin = 'SECRET 8' WHERE name = 'a'", false),
      ("INSERT INTO account VALUES ('b', 'SECRET 9')", true),
      ("ALTER TABLE user ADD COLUMN age INT DEFAULT 7", true),
      ("UPDATE user SET password = 'SECRET 10', age = 8 WHERE id = 1", true),
      ("DELETE FROM account", true), ("VACUUM", false),
    ] {
      // In a rollback journal, a reader would block the program.
      if journal == "DELETE" { user.end() }
      let count = try world.history().count
      try world.run(sql)
      _ = try readableStore(world.store)
      #expect(try world.history().count > count || !isRecorded, "\(sql)")
      if !isRecorded { #expect(try world.history().count == count, "\(sql)") }
      let rows = try recordedRows(of: world.path, leavingOut: leftOut)
      #expect(try recordedRows(of: world.store, leavingOut: leftOut) == rows, "\(sql)")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: world.store))
      #expect(bytes.range(of: Data("SECRET".utf8)) == nil, "\(sql)")
    }
    #expect(try world.findings(world.store, withLogs: false) == [])
  }

  private func expectSame(_ recorded: [Rows], _ committed: [Rows]) {
    guard recorded != committed else { return }
    let place = zip(recorded, committed).enumerated().first { $1.0 != $1.1 }
    let tables = place.map { differentTables($1.0, $1.1) } ?? []
    Issue.record(
      "\(recorded.count) states instead of \(committed.count), first at \(place?.offset ?? -1) in \(tables)"
    )
  }
}
