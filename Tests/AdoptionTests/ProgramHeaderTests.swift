import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("The header and the sequences of a program's database")
struct ProgramHeaderTests {
  private let tables = """
    CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, x);
    CREATE TABLE other(id INTEGER PRIMARY KEY AUTOINCREMENT, x);
    INSERT INTO t(x) VALUES (1), (2); INSERT INTO other(x) VALUES (1), (2);
    """

  private func header(_ path: String) throws -> [Int64?] {
    let connection = try Connection(path: path, mode: .readOnly)
    return try ["user_version", "application_id"].map { try connection.integer("PRAGMA \($0)") }
  }

  /// The id that SQLite gives to the next row of a table.
  private func nextID(_ path: String, table: String = "t") throws -> Int64? {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("BEGIN; INSERT INTO \(table)(x) VALUES (0)")
    defer { connection.rollBack() }
    return connection.lastInsertedID
  }

  private func promoted(_ path: String) throws -> String {
    try Store.open(.file(URL(fileURLWithPath: path))).promote()
    return path
  }

  @Test("A replica, a promoted and a detached file have the program's numbers in their header.")
  func header() throws {
    let world = try AdoptedWorld(tables + "PRAGMA user_version = 86; PRAGMA application_id = 5;")
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    #expect(try header(replica) == [86, 5])
    let detached = try world.restore("detached.db")
    try Store.detach(detached)
    #expect(try header(detached) == [86, 5])
    #expect(try header(promoted(replica)) == [86, 5])
    let logs = LogFolder(world.file("new"))
    try logs.create()
    _ = try export(ExportRequest(store: replica, logs: logs))
    let again = try importLogs(ImportRequest(logs: logs, store: world.file("again.db")))
    #expect(try header(again.store) == [86, 5])
  }

  @Test("A replica gets a number that the program changes, alone or together with its tables.")
  func changedHeader() throws {
    let world = try AdoptedWorld(
      tables + "CREATE TABLE loose(a); INSERT INTO loose VALUES (1), (2);"
    )
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    #expect(try header(replica) == [0, 0])
    for (sql, expected) in [
      ("PRAGMA user_version = 1", [1, 0]),
      ("INSERT INTO loose VALUES (3); PRAGMA application_id = -7", [1, -7]),
      ("ALTER TABLE t ADD COLUMN y; PRAGMA user_version = -2147483648", [-2_147_483_648, -7]),
      ("PRAGMA user_version = 0; PRAGMA application_id = 0", [0, 0]),
      ("PRAGMA application_id = \(0x5452_4c47)", [0, 0]),
    ] as [(String, [Int64?])] {
      try world.run(sql)
      if sql.contains("ALTER") || !sql.contains("\(0x5452_4c47)") {
        try world.exportLogs()
        _ = try world.restore("replica.db")
        #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
        #expect(try header(world.restore("new \(sql.count).db")) == expected)
      }
      #expect(try header(replica) == expected, "\(sql)")
    }
  }

  @Test("A changed number alone records no row again, and earlier transactions can be undone.")
  func numberAlone() throws {
    let world = try AdoptedWorld(
      tables + "CREATE TABLE loose(a); INSERT INTO loose VALUES (1), (2);"
    )
    try world.run("UPDATE loose SET a = 5")
    _ = try world.history()
    try world.run("PRAGMA user_version = 3")
    let changes = try world.changes()
    #expect(changes.map(\.changes) == [["update loose 1", "update loose 2"], []])
    #expect(changes.last?.operation == "foreign")
    #expect(changes.last?.details == #"{"boundary":"proven","user_version":3,"application_id":0}"#)
    #expect(try world.changes().count == 2)
    try Store.open(.file(URL(fileURLWithPath: world.path))).undo(2...2, author: Author())
    #expect(try recordedRows(of: world.path)["loose"] == ["1,1", "2,2"])
  }

  @Test("A promoted replica gives no id again that a deleted row of the origin had.")
  func sequences() throws {
    let world = try AdoptedWorld(
      tables + "INSERT INTO t(id) VALUES (20); DELETE FROM t WHERE id = 20"
    )
    // These ids are gone before the first export.
    try world.run("INSERT INTO other(x) VALUES (3), (4)")
    try world.run("DELETE FROM other WHERE id > 2")
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    try world.run("INSERT INTO t(x) VALUES (3)")
    _ = try world.history()
    try world.run("DELETE FROM t WHERE id = 21")
    try world.exportLogs()
    _ = try world.restore("replica.db")
    _ = try world.restore("new.db")
    try world.run("ALTER TABLE other ADD COLUMN y; ALTER TABLE t RENAME TO renamed")
    try world.exportLogs()
    _ = try world.restore("replica.db")
    _ = try world.restore("newer.db")
    #expect(try nextID(promoted(replica), table: "renamed") == 22)
    #expect(try nextID(promoted(world.file("new.db"))) == 22)
    #expect(try nextID(promoted(world.file("newer.db")), table: "renamed") == 22)
    for name in ["replica.db", "new.db", "newer.db"] {
      #expect(try nextID(world.file(name), table: "other") == 5, "\(name)")
    }
  }

  @Test("A replica of pruned history gives no id again that the pruned history had.")
  func prunedSequences() throws {
    let world = try AdoptedWorld(tables)
    try world.run("INSERT INTO t(x) VALUES (3)")
    _ = try world.history()
    try world.run("DELETE FROM t WHERE id = 3")
    let last = Int64(try world.history().count)
    try Store.open(.file(URL(fileURLWithPath: world.path))).deleteHistory([1...last])
    try world.exportLogs()
    #expect(try nextID(promoted(world.restore("replica.db"))) == 4)
  }

  @Test("A replica of a later lineage gives no id again that the restored copy had given.")
  func sequencesOfLineage() throws {
    let world = try AdoptedWorld(tables)
    try world.run("INSERT INTO t(x) VALUES (3)")
    try world.exportLogs()
    try world.run("DELETE FROM t WHERE id = 3")
    _ = try world.history()
    let copy = world.file("copy.db")
    try FileManager.default.copyItem(atPath: world.path, toPath: copy)
    try world.run("UPDATE t SET x = 7")
    try world.exportLogs()
    try FileManager.default.removeItem(atPath: world.path)
    try FileManager.default.moveItem(atPath: copy, toPath: world.path)
    try world.run("UPDATE t SET x = 8")
    let result = try recover(RecoverRequest(store: world.path, logs: world.logs))
    #expect(result.remedy == .lineage)
    try world.exportLogs()
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    #expect(try nextID(promoted(world.restore("replica.db"))) == 4)
  }
}
