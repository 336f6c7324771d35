import Adoption
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("Tables and columns that are left out")
struct LeftOutTests {
  private let users = """
    CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT UNIQUE, password TEXT NOT NULL,
      token BLOB NOT NULL UNIQUE, hint TEXT DEFAULT 'none', length AS (length(password)));
    CREATE TABLE session(key TEXT PRIMARY KEY NOT NULL, data);
    CREATE TABLE limits(name TEXT PRIMARY KEY, pin INT NOT NULL UNIQUE, rate REAL NOT NULL) STRICT;
    INSERT INTO user(id, name, password, token) VALUES (1, 'Ann', 'SECRET 1', x'5345435245540a');
    INSERT INTO session VALUES ('SECRET 2', 'SECRET 3');
    INSERT INTO limits VALUES ('a', 1, 1.5), ('b', 2, 2.5);
    """
  private let leftOut = [
    LeftOut(table: "USER", column: "Password"), LeftOut(table: "user", column: "token"),
    LeftOut(table: "session"), LeftOut(table: "limits", column: "pin"),
  ]

  /// The texts and blobs of all added tables, and the texts of all logs.
  private func recorded(_ world: AdoptedWorld) throws -> String {
    let connection = try Connection(path: world.path, mode: .readOnly)
    let listing = try connection.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'travelog%'"
    )
    var names: [String] = []
    while try listing.step() { names.append(listing.string(at: 0)) }
    var bytes: [UInt8] = []
    for name in names {
      let rows = try connection.prepare("SELECT * FROM \(quoted(name))")
      while try rows.step() {
        for column in 0..<rows.columnCount { bytes += rows.bytes(at: Int32(column)) }
      }
    }
    let folder = world.logs.path
    guard FileManager.default.fileExists(atPath: folder) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(decoding: bytes, as: UTF8.self)
      + (try output(of: "sh", ["-c", "find '\(folder)' -name '*.gz' -exec gunzip -c {} +"]))
  }

  @Test(
    "Their values are in no captured row, in no history and in no log.",
    arguments: ["DELETE", "WAL"]
  )
  func secret(_ journal: String) throws {
    let world = try AdoptedWorld("PRAGMA journal_mode = \(journal);" + users, leavingOut: leftOut)
    try world.run(
      """
      INSERT INTO user(id, name, password, token) VALUES (2, 'Bob', 'SECRET 4', x'53454352455401');
      UPDATE user SET password = 'SECRET 5', hint = 'dog' WHERE id = 1;
      REPLACE INTO user(id, name, password, token) VALUES (3, 'Bob', 'SECRET 6', x'53454352455402');
      REPLACE INTO user(id, name, password, token) VALUES (4, 'Cy', 'SECRET 7', x'53454352455402');
      INSERT INTO session VALUES ('SECRET 8', 'SECRET 9');
      UPDATE limits SET pin = 77777777, rate = 3 WHERE name = 'a';
      DELETE FROM limits WHERE name = 'b';
      """
    )
    let captured = try recorded(world)
    #expect(!captured.contains("SECRET") && captured.contains("dog"))
    try world.compareReplicas("step")
    let all = try recorded(world)
    #expect(!all.contains("SECRET") && !all.contains("77777777") && all.contains("dog"))
    #expect(all.contains("password") && all.contains("session"))
    let replica = try Connection(path: world.file("replica.db"), mode: .readOnly)
    #expect(try replica.integer("SELECT count(*) FROM user WHERE password = ''") == 2)
    #expect(try replica.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'session'") == 0)
  }

  @Test("If only such a column changes, nothing is recorded.")
  func onlyLeftOut() throws {
    let world = try AdoptedWorld(users, leavingOut: leftOut)
    try world.run("UPDATE user SET password = 'new', token = x'99'; DELETE FROM session")
    #expect(try world.changes().isEmpty)
    #expect(try readableStore(world.path).uncapturedTables().isEmpty)
  }

  @Test("The choice can change later, and history says how many changes have the values.")
  func laterChoice() throws {
    let world = try AdoptedWorld(users)
    try world.exportLogs()
    _ = try world.restore("replica.db")
    try world.run(
      """
      UPDATE user SET password = 'p' WHERE id = 1; UPDATE user SET name = 'Zoe' WHERE id = 1;
      INSERT INTO session VALUES ('k', 'v');
      """
    )
    let added = try Store.leaveOut(world.path, adding: leftOut)
    #expect(added.map(\.part.name) == ["user.password", "user.token", "session", "limits.pin"])
    #expect(added.map(\.changes) == [1, 0, 1, 0])
    try world.compareReplicas("step")
    try world.run("UPDATE user SET password = 'HIDDEN', name = 'Ann'; DELETE FROM session")
    try world.compareReplicas("step")
    #expect(!(try recorded(world)).contains("HIDDEN"))
    _ = try Store.leaveOut(
      world.path,
      adding: [LeftOut(table: "user", column: "hint")],
      removing: ["user.password", "SESSION", "limits.pin"]
    )
    try world.compareReplicas("step")
    try world.compareReplicas("later")
    try world.run("UPDATE user SET password = 'seen'; UPDATE limits SET pin = pin + 10")
    try world.compareReplicas("step")
    let replica = try Connection(path: world.file("replica.db"), mode: .readOnly)
    #expect(
      try replica.integer("SELECT password = 'seen' AND hint IS NULL FROM user") == 1
    )
    #expect(try replica.integer("SELECT sum(pin) FROM limits") == 23)
  }

  @Test("What is left out stays so under a new name, in a rebuilt table and after a migration.")
  func renames() throws {
    let world = try AdoptedWorld(users, leavingOut: leftOut)
    try world.exportLogs()
    try world.run(
      "ALTER TABLE user RENAME COLUMN password TO hash; ALTER TABLE session RENAME TO visit"
    )
    try world.run("UPDATE user SET hash = 'SECRET', name = 'B'; UPDATE visit SET data = 'SECRET'")
    try world.compareReplicas("step")
    try world.run("ALTER TABLE user RENAME TO person; UPDATE person SET hash = 'SECRET 10'")
    try world.compareReplicas("step")
    try Store.suspend(world.path) {
      try world.run(
        """
        CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT, secret TEXT, token BLOB, added INT);
        INSERT INTO new SELECT id, name, 'SECRET 11', token, 1 FROM person;
        DROP TABLE person; ALTER TABLE new RENAME TO account;
        ALTER TABLE visit RENAME TO cookie;
        """
      )
    }
    try world.run(
      "UPDATE account SET secret = 'SECRET 12', name = 'C'; UPDATE cookie SET data = 'SECRET'"
    )
    try world.compareReplicas("step")
    #expect(!(try recorded(world)).contains("SECRET"))
    let parts = try readableStore(world.path).leftOutNames
    #expect(Set(parts).isSuperset(of: ["account.secret", "account.token", "cookie"]))
  }

  @Test("A key and a name that the file does not have can't be left out.")
  func refusals() throws {
    let world = try AdoptedWorld(users, isAdopted: false)
    for part in [
      LeftOut(table: "user", column: "id"), LeftOut(table: "session", column: "key"),
      LeftOut(table: "user", column: "absent"), LeftOut(table: "absent"),
    ] {
      #expect(throws: StoreError.self) { try Store.adopt(world.path, leavingOut: [part]) }
      #expect(throws: StoreError.self) {
        try Store.describeTables(of: world.path, leavingOut: [part])
      }
    }
    #expect(try !Store.hasHistory(at: world.path))
    try world.run(
      "CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('SECRET')"
    )
    for part in [LeftOut(table: "notes_content"), LeftOut(table: "notes_content", column: "c0")] {
      #expect(throws: StoreError.self) { try Store.adopt(world.path, leavingOut: [part]) }
    }
    _ = try Store.adopt(world.path)
    #expect(throws: StoreError.self) {
      try Store.leaveOut(world.path, adding: [], removing: ["user.password"])
    }
  }

  @Test("An undo inserts no row without the values that are left out.")
  func undo() throws {
    let world = try AdoptedWorld(users, leavingOut: leftOut)
    try world.run("UPDATE user SET name = 'B'")
    try world.run("DELETE FROM user")
    let store = try Store.open(.file(URL(fileURLWithPath: world.path)))
    let last = Int64(try world.history().count)
    #expect(throws: StoreError.self) { try store.undo(last...last, author: Author(name: "Zoe")) }
    #expect(try recordedRows(of: world.path)["user"] == [])
  }

  @Test("A promoted replica leaves out the same.")
  func promotion() throws {
    let world = try AdoptedWorld(users, leavingOut: leftOut)
    try world.exportLogs()
    let replica = try Store.open(.file(URL(fileURLWithPath: world.restore("replica.db"))))
    try replica.promote()
    let parts = try readableStore(world.file("replica.db")).leftOutNames
    #expect(Set(parts).isSuperset(of: ["user.password", "user.token"]))
  }

  @Test("Names that look like secrets are suggested with the flag that leaves them out.")
  func suggestions() throws {
    let world = try AdoptedWorld(
      users + """
        CREATE TABLE setting(key TEXT PRIMARY KEY, value, apiKey TEXT, monkey TEXT);
        CREATE TABLE grants(access_token TEXT PRIMARY KEY, holder);
        """,
      isAdopted: false
    )
    let found = try Store.describeTables(of: world.path).flatMap(\.suggestions)
    #expect(
      Set(found) == [
        "--without-column 'user.password'", "--without-column 'user.token'",
        "--without-table 'session'", "--without-column 'setting.apiKey'",
        "--without-table 'grants'",
      ]
    )
    let rest = try Store.describeTables(of: world.path, leavingOut: leftOut).flatMap(\.suggestions)
    #expect(!rest.contains("--without-table 'session'"))
  }
}
