import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("Promotion of a replica of an adopted file")
struct AdoptedPromotionTests {
  @Test("A promoted replica has the program's triggers, records its writes, and can be exported.")
  func promotion() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, n INT DEFAULT 0);
      CREATE TRIGGER counting AFTER UPDATE OF name ON person BEGIN
        UPDATE person SET n = n + 1 WHERE id = NEW.id;
      END;
      INSERT INTO person VALUES (1, 'Ann', 0);
      """
    )
    try world.run("UPDATE person SET name = 'Anna'")
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    let rows = try recordedRows(of: replica)
    #expect(rows == (try recordedRows(of: world.path)))
    let location = Location.file(URL(fileURLWithPath: replica))
    let before = try Store.open(location).identifier
    let identifier = try Store.open(location).promote()
    #expect(identifier != before)
    #expect(try recordedRows(of: replica) == rows)
    try Connection(path: replica, mode: .readWrite).execute("UPDATE person SET name = 'Eve'")
    #expect(try recordedRows(of: replica) == ["person": ["1,'Eve',2"]])
    let store = try Store.open(location)
    #expect(store.identifier == identifier)
    #expect(!store.isReplica)
    let logs = world.file("new")
    try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
    _ = try export(ExportRequest(store: replica, logs: LogFolder(logs)))
    _ = try importLogs(ImportRequest(logs: LogFolder(logs), store: world.file("again.db")))
    #expect(try recordedRows(of: world.file("again.db")) == recordedRows(of: replica))
    #expect(throws: StoreError.self) { try store.promote() }
    try Store.detach(replica)
    let names = try schemaStatements(of: replica).map { $0.split(separator: "|")[2] }
    #expect(names.sorted() == ["counting", "person"])
  }

  @Test("A promoted replica lacks only the triggers that use a table that is not recorded.")
  func unrecordedTables() throws {
    let world = try AdoptedWorld(
      """
      CREATE TABLE place(id INTEGER PRIMARY KEY, x REAL, n INT DEFAULT 0);
      CREATE VIRTUAL TABLE box USING rtree(id, low, high);
      CREATE TRIGGER boxing AFTER UPDATE OF x ON place BEGIN
        INSERT OR REPLACE INTO box VALUES (NEW.id, NEW.x, NEW.x); END;
      CREATE TRIGGER counting AFTER UPDATE OF x ON place BEGIN
        UPDATE place SET n = n + 1 WHERE id = NEW.id; END;
      INSERT INTO place VALUES (1, 2, 0);
      """
    )
    try world.exportLogs()
    let replica = try world.restore("replica.db")
    let location = Location.file(URL(fileURLWithPath: replica))
    var leftOut: [String] = []
    try Store.open(location).promote { leftOut.append("\($0) \($1)") }
    #expect(leftOut == ["boxing box"])
    try Connection(path: replica, mode: .readWrite).execute("UPDATE place SET x = 3")
    #expect(try recordedRows(of: replica) == ["place": ["1,3.0,1"]])
  }
}
