import Adoption
import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("An adopted file")
struct AdoptedFileTests {
  private let people = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT UNIQUE, age INT);
    CREATE TABLE tag(word TEXT PRIMARY KEY, n INT) WITHOUT ROWID;
    CREATE INDEX person_age ON person(age);
    CREATE VIEW adults AS SELECT name FROM person WHERE age > 17;
    CREATE TRIGGER grows AFTER INSERT ON person BEGIN
      UPDATE person SET age = 1 WHERE id = NEW.id AND age IS NULL;
    END;
    INSERT INTO person VALUES (1, 'Ann', 30), (2, 'Bob', NULL);
    PRAGMA user_version = 7;
    PRAGMA application_id = 99;
    """

  @Test("An adopted file keeps its rows and settings, and detaching restores its schema exactly.")
  func detaching() throws {
    let world = try AdoptedWorld(people, isAdopted: false)
    let schema = try schemaStatements(of: world.path)
    let rows = try recordedRows(of: world.path)
    _ = try Store.adopt(world.path)
    #expect(try recordedRows(of: world.path) == rows)
    let connection = try Connection(path: world.path, mode: .readOnly)
    for (pragma, value) in [("user_version", 7), ("application_id", 99), ("auto_vacuum", 0)] {
      let reading = try connection.prepare("PRAGMA \(pragma)")
      #expect(try reading.step())
      #expect(reading.int64(at: 0) == Int64(value), "\(pragma)")
    }
    let mode = try connection.prepare("PRAGMA journal_mode")
    #expect(try mode.step())
    #expect(mode.string(at: 0) == "delete")
    try world.run("INSERT INTO person VALUES (3, 'Cy', 4); DELETE FROM person WHERE id = 3")
    _ = try world.history()
    try Store.detach(world.path)
    #expect(try schemaStatements(of: world.path) == schema)
    #expect(try recordedRows(of: world.path) == rows)
  }

  @Test("A dry run of prune includes the marker of the adoption, although no log contains it.")
  func pruning() throws {
    let world = try AdoptedWorld(people)
    for id in 3...5 { try world.run("INSERT INTO person VALUES (\(id), 'person \(id)', 1)") }
    let end = try world.exportLogs().to.transaction
    #expect(end >= 2)
    var request = PruneRequest(store: world.path, logs: world.logs, keep: .zero)
    request.isDryRun = true
    let result = try prune(request)
    #expect(result.oldest == 1 && result.through == end - 1 && result.transactions == end - 1)
  }

  @Test("A dry run of an export leaves the store without the mark of an export.")
  func dryRun() throws {
    let world = try AdoptedWorld(people)
    try world.run("INSERT INTO person VALUES (3, 'Cy', 4)")
    try world.logs.create()
    func isMarked() throws -> Bool {
      try readableStore(world.path).read { try $0.remembersExport(filter: nil) }
    }
    var request = ExportRequest(store: world.path, logs: world.logs)
    request.isDryRun = true
    _ = try export(request)
    #expect(try !isMarked())
    request.isDryRun = false
    _ = try export(request)
    #expect(try isMarked())
    let replica = ImportRequest(logs: world.logs, store: world.file("replica.db"))
    #expect(try importLogs(replica).danglingLinks == 0)
  }

  @Test("Logs in a folder begin with the state after the adoption, and a stream can't begin so.")
  func trustingToken() throws {
    let world = try AdoptedWorld(people)
    try world.run("INSERT INTO person VALUES (3, 'Cy', 4)")
    try world.logs.create()
    let null = try #require(FileHandle(forWritingAtPath: "/dev/null"))
    var request = ExportRequest(store: world.path, logs: world.logs)
    request.stream = null.fileDescriptor
    let error = #expect(throws: PipelineError.self) { try checkBeginning(request) }
    #expect(error?.code == .historyExpired)
    request.stream = nil
    request.trustsToken = true
    try checkBeginning(request)
    request.isDryRun = true
    #expect(try export(request).snapshot != nil)
  }

  @Test("The history begins with a marker that has the number and the digest of each table's rows.")
  func marker() throws {
    let world = try AdoptedWorld(people)
    let history = try world.history()
    #expect(history.map(\.operation) == ["adopt"])
    #expect(history[0].changes == [])
    #expect(history[0].details.contains(#""person":{"rows":2,"digest":""#))
    #expect(history[0].details.contains(#""tag":{"rows":0,"digest":""#))
    let details = try JSONSerialization.jsonObject(with: Data(history[0].details.utf8))
    #expect(
      ((details as? [String: Any])?["tables"] as? [String: Any])?.keys.sorted() == [
        "person", "tag",
      ]
    )
  }

  @Test("A bracket gives its transaction an author, a reason and a request, and proves its end.")
  func bracket() throws {
    let world = try AdoptedWorld(people)
    try world.run(
      """
      BEGIN;
      UPDATE travelog_context SET author = 'billing', reason = 'ticket 7', request = 'r1';
      INSERT INTO person VALUES (5, 'Eve', 40);
      UPDATE person SET age = 41 WHERE id = 5;
      DELETE FROM person WHERE id = 1;
      UPDATE travelog_context SET author = NULL;
      COMMIT;
      INSERT INTO tag VALUES ('x', 1);
      """
    )
    let changes = try world.changes()
    #expect(changes.map(\.operation) == ["foreign", "foreign"])
    #expect(changes.map(\.author) == ["billing", nil])
    #expect(changes[0].changes == ["insert person 5", "delete person 1"])
    #expect(changes[1].changes == [#"insert tag ["text:x"]"#])
    #expect(changes.map(\.reason) == ["ticket 7", nil])
    #expect(changes.map(\.request) == ["r1", nil])
    #expect(changes[0].details == #"{"boundary":"proven"}"#)
    #expect(changes.map { $0.detail("boundary") } == ["proven", "proven"])
  }

  @Test("If a bracket is not closed, the next bracket does not get its reason.")
  func reasonOfUnclosedBracket() throws {
    let world = try AdoptedWorld(people)
    try world.run(
      """
      UPDATE travelog_context SET author = 'lost', reason = 'secret', request = 'r1';
      INSERT INTO tag VALUES ('a', 1);
      """
    )
    try world.run(
      """
      BEGIN;
      UPDATE travelog_context SET author = 'billing';
      INSERT INTO tag VALUES ('b', 1);
      UPDATE travelog_context SET author = NULL;
      COMMIT;
      """
    )
    let changes = try world.changes()
    #expect(changes.map(\.author) == [nil, "billing"])
    #expect(changes.map(\.reason) == [nil, nil])
    #expect(changes.map(\.request) == [nil, nil])
  }

  @Test("Any reason and request of a bracket reach the logs and a replica unchanged.")
  func hostileReasons() throws {
    let world = try AdoptedWorld(people)
    let long = String(repeating: "é\n", count: 350_000)
    let texts = ["two\nlines\u{1}", "\",\"digest\":\"", "it's", long, ""]
    for (number, text) in texts.enumerated() {
      let quoted = "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
      try world.run(
        """
        BEGIN;
        UPDATE travelog_context SET author = 'a', reason = \(quoted), request = \(quoted);
        INSERT INTO tag VALUES ('\(number)', 1);
        UPDATE travelog_context SET author = NULL;
        COMMIT;
        """
      )
    }
    let changes = try world.changes()
    #expect(changes.map(\.reason) == ["two\nlines\u{1}", "\",\"digest\":\"", "it's", long, nil])
    #expect(changes.map(\.request) == changes.map(\.reason))
    try world.exportLogs()
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    let replica = try readableStore(world.restore("replica.db"))
    let found = try replica.read { reader in
      try (2...6).map { try reader.transaction($0)?.reason }
    }
    #expect(found == changes.map(\.reason))
    try replica.check { Issue.record("\($0)") }
  }

  @Test("VACUUM does not renumber the rows of a table without a key, and loses no change.")
  func renumberedRows() throws {
    let world = try AdoptedWorld("CREATE TABLE note(text); INSERT INTO note VALUES (1), (2), (3)")
    try world.exportLogs()
    try world.run("DELETE FROM note WHERE text = 1; VACUUM; UPDATE note SET text = text + 10")
    try world.exportLogs()
    #expect(
      try world.changes().map(\.changes) == [
        ["delete note 1", "update note 2", "update note 3"]
      ]
    )
    let replica = try world.restore("replica.db")
    #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
  }

  @Test("A restored replica has the same rows, and its logs equal those of the file.")
  func roundTrip() throws {
    let world = try AdoptedWorld(
      people + """
        CREATE TABLE loose(a, b);
        CREATE TABLE pair(x TEXT, y INT, v, PRIMARY KEY (x, y));
        INSERT INTO loose VALUES (1, x'00'), ('text', 2.5);
        INSERT INTO pair VALUES ('k', 1, NULL), (NULL, 2, 'null key');
        """
    )
    try world.run("UPDATE loose SET b = 9 WHERE a = 1; DELETE FROM person WHERE id = 1")
    try world.run(
      "INSERT INTO pair VALUES ('k', 2, 1.0); UPDATE pair SET x = 'set' WHERE x IS NULL"
    )
    let first = try world.exportLogs()
    #expect(first.snapshot != nil)
    // The last one proves the snapshot.
    #expect(first.transactions == 3)
    try world.run("UPDATE person SET name = 'Zoe', age = 0.1 WHERE id = 2; DELETE FROM loose")
    #expect(try world.exportLogs().transactions == 1)
    let replica = try world.restore("replica.db")
    #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
    if isInstalled("sqldiff") {
      #expect(try output(of: "sqldiff", ["--table", "person", world.path, replica]) == "")
    }
  }

  @Test("A file with names of the prefix is refused, and another prefix adopts it.")
  func prefixes() throws {
    let world = try AdoptedWorld("CREATE TABLE Travelog_Mine(a)", isAdopted: false)
    #expect(throws: StoreError.self) { try Store.adopt(world.path) }
    #expect(throws: StoreError.self) { try Store.adopt(world.path, prefix: "a b") }
    #expect(throws: StoreError.self) { try Store.adopt(world.path, prefix: "sqlite_x") }
    let result = try Store.adopt(world.path, prefix: "audit_")
    #expect(result.tables.map(\.name) == ["Travelog_Mine"])
    try world.run("INSERT INTO travelog_mine VALUES (1)")
    #expect(try world.changes().map(\.changes) == [["insert Travelog_Mine 1"]])
    #expect(throws: StoreError.self) { try Store.adopt(world.path) }
    try Store.detach(world.path)
    #expect(throws: StoreError.self) { try Store.detach(world.path) }
  }

  @Test("Databases that can't be recorded are refused, and stay as they are.")
  func refusals() throws {
    for sql in [
      "CREATE VIEW v AS SELECT 1", "CREATE VIRTUAL TABLE v USING rtree(id, a, b)",
    ] {
      let world = try AdoptedWorld(sql, isAdopted: false)
      let schema = try schemaStatements(of: world.path)
      #expect(throws: StoreError.self, "\(sql)") { try Store.adopt(world.path) }
      #expect(try schemaStatements(of: world.path) == schema)
    }
  }

  @Test("A locked file is reported as locked, and not as one without history.")
  func lockedFile() throws {
    let world = try AdoptedWorld(people)
    let program = try Connection(path: world.path, mode: .readWrite)
    try program.execute("BEGIN EXCLUSIVE; INSERT INTO tag VALUES ('a', 1)")
    func code(_ body: () throws -> Void) throws -> StoreError.Code? {
      do {
        try body()
        return nil
      } catch let error as StoreError {
        return error.code
      }
    }
    let options = Options(isReadOnly: true, busyTimeout: .milliseconds(20))
    let location = Location.file(URL(fileURLWithPath: world.path))
    #expect(try code { _ = try Store.open(location, options: options) } == .locked)
    #expect(try code { _ = try Store.adopt(world.path, busyTimeout: .zero) } == .locked)
    #expect(try code { try Store.detach(world.path, busyTimeout: .zero) } == .locked)
    #expect(try code { _ = try Store.renewIdentity(world.path, busyTimeout: .zero) } == .locked)
    try program.execute("COMMIT")
    #expect(try world.changes().map(\.changes) == [[#"insert tag ["text:a"]"#]])
  }

  @Test("In a rollback journal a transaction proves the snapshot, and import needs no flag.")
  func rollbackJournal() throws {
    let world = try AdoptedWorld(people)
    try world.run("UPDATE person SET age = 31 WHERE id = 1")
    let result = try world.exportLogs()
    #expect(result.notices == [])
    #expect(try world.history().map(\.operation) == ["adopt", "foreign", "mark"])
    let replica = try world.restore("replica.db")
    #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
    try world.run("INSERT INTO tag VALUES ('later', 1); DELETE FROM person WHERE id = 1")
    try world.exportLogs()
    let other = try world.restore("replica.db")
    #expect(try recordedRows(of: other) == recordedRows(of: world.path))
    let verified = try verify(VerifyRequest(logs: world.logs))
    #expect(verified.allSatisfy { $0.findings.isEmpty })
  }

  @Test("Rows of an adopted file can't be written through a store.")
  func writing() throws {
    let world = try AdoptedWorld(people)
    let store = try Store.open(.file(URL(fileURLWithPath: world.path)))
    #expect(throws: StoreError.self) { try store.write(Author()) { _ in } }
  }

  @Test("A snapshot is written even if the last transaction proves an older snapshot.")
  func snapshotAfterMark() throws {
    let world = try AdoptedWorld("CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
    try world.run("INSERT INTO t VALUES (1, 1)")
    try world.exportLogs()
    try world.run("INSERT INTO t VALUES (2, 2)")
    let other = LogFolder(world.file("other"))
    try other.create()
    var request = ExportRequest(store: world.path, logs: other)
    request.startsNewFolder = true
    _ = try export(request)
    request = ExportRequest(store: world.path, logs: world.logs)
    request.wantsSnapshot = true
    let snapshot = try #require(export(request).snapshot)
    let store = try Store.open(.file(URL(fileURLWithPath: world.path)))
    #expect(try world.logs.snapshots(of: store.identifier, lineage: 0).last?.path == snapshot)
    var replay = ImportRequest(logs: world.logs, store: world.file("replica.db"))
    replay.fromSnapshot = true
    #expect(try importLogs(replay).transactions <= 1)
    #expect(try recordedRows(of: replay.store) == recordedRows(of: world.path))
  }
}
