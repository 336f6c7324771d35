import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("Repairs of adopted files")
struct AdoptedRepairTests {
  private let start = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE pair(a TEXT NOT NULL, b TEXT NOT NULL, v, PRIMARY KEY (a, b));
    INSERT INTO person VALUES (1, 'Ann'), (2, 'Bob');
    """

  private func open(_ path: String) throws -> Store {
    try Store.open(.file(URL(fileURLWithPath: path)))
  }

  @Test(
    "An adopted file that was restored from an older copy continues in a new lineage.",
    arguments: AdoptedWorld.encodings
  )
  func restoredCopy(encoding: String) throws {
    let world = try AdoptedWorld(start, encoding: encoding)
    try world.run("UPDATE person SET name = 'Anna' WHERE id = 1")
    try world.exportLogs()
    let copy = world.file("copy.db")
    try FileManager.default.copyItem(atPath: world.path, toPath: copy)
    try world.run("INSERT INTO pair VALUES ('x', 'y', 1); DELETE FROM person WHERE id = 2")
    try world.exportLogs()
    let lost = try recordedRows(of: world.path)
    try FileManager.default.removeItem(atPath: world.path)
    try FileManager.default.moveItem(atPath: copy, toPath: world.path)
    try world.run(
      "INSERT INTO pair VALUES ('p', 'q', 2); UPDATE person SET name = 'B' WHERE id = 2"
    )
    #expect(throws: (any Error).self) { try world.exportLogs() }
    let result = try recover(RecoverRequest(store: world.path, logs: world.logs))
    #expect(result.remedy == .lineage)
    try world.run("DELETE FROM person WHERE id = 1")
    try world.exportLogs()
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    #expect(try recordedRows(of: world.restore("new.db")) == recordedRows(of: world.path))
    var old = ImportRequest(logs: world.logs, store: world.file("old.db"))
    old.lineage = 0
    _ = try importLogs(old)
    #expect(try recordedRows(of: old.store) == lost)
    var findings = 0
    _ = try open(world.path).check { _ in findings += 1 }
    #expect(findings == 0)
  }

  @Test("A second copy of an adopted file continues the lineage that an equal copy has begun.")
  func equalCopies() throws {
    let world = try AdoptedWorld(start)
    try world.run("UPDATE person SET name = 'Anna' WHERE id = 1")
    try world.exportLogs()
    let copies = ["first.db", "second.db"].map { world.file($0) }
    for copy in copies { try FileManager.default.copyItem(atPath: world.path, toPath: copy) }
    try world.run("DELETE FROM person WHERE id = 2")
    try world.exportLogs()
    var files: [String] = []
    for copy in copies {
      let result = try recover(RecoverRequest(store: copy, logs: world.logs))
      #expect(result.remedy == .lineage && result.objects == 2)
      files += [result.file].compactMap(\.self)
      let store = try open(copy)
      #expect(store.lineage == 1)
      #expect(try world.logs.lineages(of: store.identifier) == [0, 1])
    }
    #expect(files.count == 2 && files[0] == files[1])
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
  }

  @Test(
    "History of an adopted file that was deleted before its export becomes a marked gap.",
    arguments: AdoptedWorld.encodings
  )
  func gap(encoding: String) throws {
    let world = try AdoptedWorld(
      start + "CREATE TABLE loose(a); INSERT INTO loose VALUES (1);",
      encoding: encoding
    )
    try world.run("UPDATE person SET name = 'Anna' WHERE id = 1")
    try world.exportLogs()
    _ = try world.restore("follower.db")
    for number in 1...6 {
      try world.run(
        """
        INSERT INTO pair VALUES ('k', '\(number)', \(number));
        UPDATE person SET name = 'n\(number)' WHERE id = 2;
        DELETE FROM loose WHERE a = \(number);
        """
      )
      _ = try world.history()
    }
    try world.run("DELETE FROM pair WHERE b = '2'; INSERT INTO loose VALUES ('later')")
    let head = Int64(try world.history().count)
    try open(world.path).deleteHistory([1...head - 3])
    #expect(throws: PipelineError.self) { try world.exportLogs() }
    let result = try recover(RecoverRequest(store: world.path, logs: world.logs))
    #expect(result.remedy == .gap)
    #expect(result.resumes.transaction == head - 3)
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    let rows = try recordedRows(of: world.path)
    #expect(try recordedRows(of: world.restore("new.db")) == rows)
    #expect(try recordedRows(of: world.restore("follower.db")) == rows)
    #expect(try recover(RecoverRequest(store: world.path, logs: world.logs)).remedy == .none)
    var findings = 0
    _ = try open(world.path).check { _ in findings += 1 }
    #expect(findings == 0)
    try world.run("UPDATE person SET name = 'last'")
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("follower.db")) == recordedRows(of: world.path))
  }

  @Test(
    "A row that was written past the triggers is found, and recorded with its whole table.",
    arguments: AdoptedWorld.encodings
  )
  func unseenRows(encoding: String) throws {
    let world = try AdoptedWorld(start, encoding: encoding)
    try world.exportLogs()
    _ = try world.restore("replica.db")
    try world.run("UPDATE person SET name = 'Anna' WHERE id = 1")
    try world.exportLogs()
    let program = try Connection(path: world.path, mode: .readWrite)
    try program.setTriggers(enabled: false)
    try program.execute("UPDATE person SET name = 'unseen' WHERE id = 1")
    var found = 0
    let result = try open(world.path).check(recording: Author(name: "Zoe")) { _ in found += 1 }
    #expect(found == 1)
    let last = try #require(try world.history().last)
    #expect(result.recorded == Int64(try world.history().count))
    #expect(last.operation == "difference")
    #expect(last.author == "Zoe")
    #expect(last.changes == ["insert person 1", "insert person 2"])
    found = 0
    _ = try open(world.path).check { _ in found += 1 }
    #expect(found == 0)
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
    #expect(try recordedRows(of: world.restore("new.db")) == recordedRows(of: world.path))
  }

  @Test(
    "Values are erased from the history of the file and of replicas, and no byte of them remains.",
    arguments: ["NOT NULL", ""],
    AdoptedWorld.encodings
  )
  func erasing(_ constraint: String, encoding: String) throws {
    // A key that can be NULL is one of two names of a row; the other is the rowid.
    let world = try AdoptedWorld(
      start.replacing("NOT NULL", with: constraint),
      encoding: encoding
    )
    try world.run("INSERT INTO pair VALUES ('k', 'k', 'Secret-Value-4711')")
    try world.run("UPDATE pair SET v = 'public'")
    try world.exportLogs()
    let secret = try #require(
      "Secret-Value-4711".data(
        using: ["UTF-16le": .utf16LittleEndian, "UTF-16be": .utf16BigEndian][encoding] ?? .utf8
      )
    )
    let recorded = try world.history().firstIndex {
      $0.changes.contains { $0.hasPrefix("insert pair") }
    }
    let inserted = try Int64(#require(recorded)) + 1
    let follower = URL(fileURLWithPath: try world.restore("follower.db"))
    #expect(try Data(contentsOf: follower).range(of: secret) != nil)
    let before = try recordedRows(of: world.path)
    let name = try #require(
      Array(#"["text:k","text:k"]"#.utf8).withUnsafeBytes { RowName(canonical: $0) }
    )
    var request = EraseRequest(logs: world.logs, entity: "pair", object: ObjectID(name))
    request.attributes = ["v"]
    request.store = world.path
    let result = try erase(request)
    #expect(result.storeTransactions == 2)
    #expect(try recordedRows(of: world.path) == before)
    // A replica erases the values when it imports the record of the erasure.
    #expect(try recordedRows(of: world.restore("follower.db")) == before)
    for file in [URL(fileURLWithPath: world.path), follower] {
      #expect(try Data(contentsOf: file).range(of: secret) == nil)
    }
    // A replica of a past point has a placeholder, which differs from every value.
    let past = try world.restore("past.db", until: .transaction(inserted))
    func differences() throws -> Int {
      var count = 0
      try readableStore(past).read { one in
        try readableStore(world.path).read { try one.differences(to: $0) { _ in count += 1 } }
      }
      return count
    }
    #expect(try differences() == 1)
    _ = try world.restore("past.db")
    #expect(try differences() == 0)
    try world.run("UPDATE pair SET v = 'later'")
    try world.exportLogs()
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
    var findings = 0
    _ = try open(world.path).check { _ in findings += 1 }
    #expect(findings == 0)
  }

  @Test("Erasing keeps the numbers of rows that only their numbers identify, also in a replica.")
  func erasingWithoutKey() throws {
    let world = try AdoptedWorld(
      start + """
        CREATE TABLE loose(a, b); CREATE TABLE half(k TEXT PRIMARY KEY, v);
        INSERT INTO loose VALUES (1, 1), (2, 2), (3, 3);
        INSERT INTO half VALUES ('k', 1), (NULL, 2), (NULL, 3);
        """
    )
    try world.run("INSERT INTO loose VALUES ('Secret-Value-4711', 4), (5, 5)")
    try world.exportLogs()
    _ = try world.restore("replica.db")
    try world.run("DELETE FROM loose WHERE b IN (1, 4); DELETE FROM half WHERE v = 2")
    try world.exportLogs()
    let rows = try recordedRows(of: world.path)
    #expect(rows["loose"] == ["2,2,2", "3,3,3", "5,5,5"])
    var request = EraseRequest(logs: world.logs, entity: "loose", object: 4)
    request.store = world.path
    #expect(try erase(request).storeTransactions == 2)
    #expect(try recordedRows(of: world.path) == rows)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: world.path))
    #expect(bytes.range(of: Data("Secret-Value-4711".utf8)) == nil)
    // The rows are not recorded again.
    #expect(try world.history().last?.operation == "erase")
    #expect(try schemaStatements(of: world.path).allSatisfy { !$0.contains("_keep_") })
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == rows)
    try world.run("UPDATE loose SET a = 'new' WHERE b = 3; DELETE FROM half WHERE v = 3")
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
  }

  @Test("Filtered logs keep the names of rows, and redact values.")
  func filteredLogs() throws {
    let world = try AdoptedWorld(start)
    try world.run("INSERT INTO pair VALUES ('k', 'k', 'Secret-Value-4711')")
    var request = ExportRequest(store: world.path, logs: world.logs)
    request.filter.redactions = [.init(entity: "pair", attribute: "v", manner: .drop)]
    try FileManager.default.createDirectory(
      atPath: world.logs.path,
      withIntermediateDirectories: true
    )
    let file = try #require(try export(request).files.first)
    let text = try output(of: "gzip", ["-dc", file])
    #expect(text.contains(##""id":"[\"text:k\",\"text:k\"]""##))
    // A digest can contain any digits.
    #expect(!text.contains("Secret-Value"))
    var verification = VerifyRequest(logs: world.logs)
    verification.includesFiltered = true
    #expect(try verify(verification).allSatisfy { $0.findings.isEmpty })
  }

  @Test("A filter redacts generated columns with others, and refuses keys and earlier names.")
  func redactedColumns() throws {
    let world = try AdoptedWorld(
      "CREATE TABLE person(mail TEXT PRIMARY KEY, phone, short AS (substr(phone, 1, 6)), note)"
    )
    try world.run("INSERT INTO person VALUES ('a@b', 'Secret-Value-4711', 'kept')")
    func export(_ column: String) throws -> ExportResult {
      try FileManager.default.createDirectory(
        atPath: world.logs.path,
        withIntermediateDirectories: true
      )
      var request = ExportRequest(store: world.path, logs: world.logs)
      let parts = column.split(separator: ".").map(String.init)
      request.filter.redactions = [.init(entity: parts[0], attribute: parts[1], manner: .drop)]
      return try Pipeline.export(request)
    }
    let file = try #require(try export("person.phone").files.first)
    let text = try output(of: "gzip", ["-dc", file])
    #expect(text.contains("text:kept") && !text.contains("Secret"))
    #expect(throws: PipelineError.self) { try export("person.mail") }
    try world.run("ALTER TABLE person RENAME COLUMN phone TO tel")
    try world.run("UPDATE person SET tel = 'Secret-Value-4712'")
    let error = #expect(throws: PipelineError.self) { try export("person.phone") }
    #expect(error.map { "\($0)".contains("person.phone is named person.tel now") } == true)
    try world.run("ALTER TABLE person RENAME TO human")
    #expect(throws: PipelineError.self) { try export("person.tel") }
    for file in try export("human.tel").files {
      #expect(try !output(of: "gzip", ["-dc", file]).contains("Secret"))
    }
  }
}
