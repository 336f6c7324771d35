import ChangeLog
import Format
import Foundation
import Pipeline
import Store
import Testing

@Suite("Replicas of adopted files whose values were erased")
struct ErasedRowTests {
  private static let tables = [
    "(a, b, c)", "(a TEXT, b, c, PRIMARY KEY(a, b))", "(a INTEGER PRIMARY KEY, b, c)",
    "(a TEXT PRIMARY KEY NOT NULL, b NOT NULL, c UNIQUE)",
    "(a, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID",
  ]

  /// Creates a file with three rows, exports its logs, and returns the id of its second row.
  private func makeWorld(_ columns: String) throws -> (AdoptedWorld, second: ObjectID) {
    let world = try AdoptedWorld("CREATE TABLE t\(columns)")
    for row in ["1, 'k', 'x'", "2, 'secret', 'secrets'", "3, 'm', 'y'"] {
      try world.run("INSERT INTO t(a, b, c) VALUES (\(row))")
    }
    try world.exportLogs()
    let insert = try #require(try world.changes().dropFirst().first?.changes.first)
    let id = String(insert.dropFirst("insert t ".count))
    let name = try #require(Array(id.utf8).withUnsafeBytes { RowName(canonical: $0) })
    return (world, ObjectID(name))
  }

  private func erase(
    _ id: ObjectID,
    _ attributes: String...,
    in world: AdoptedWorld,
    withStore: Bool = true
  ) throws {
    var request = EraseRequest(logs: world.logs, entity: "t", object: id)
    request.attributes = attributes
    request.store = withStore ? world.path : nil
    _ = try Pipeline.erase(request)
  }

  /// The number of rows of a replica that ends at a point.
  private func count(_ point: Point, in world: AdoptedWorld, _ name: String) throws -> Int {
    try recordedRows(of: world.restore(name, until: point))["t"]?.count ?? 0
  }

  /// Compares the number of rows after each transaction with the changes in history.
  private func expectCounts(in world: AdoptedWorld) throws {
    var rows = 0
    for (index, transaction) in try world.history().enumerated() {
      rows += transaction.changes.count { $0.hasPrefix("insert ") }
      rows -= transaction.changes.count { $0.hasPrefix("delete ") }
      let point = Point.transaction(Int64(index) + 1)
      #expect(try count(point, in: world, "until \(index).db") == rows, "up to \(index + 1)")
    }
  }

  @Test(
    "A deleted row whose values were erased is in earlier replicas, and not in later ones.",
    arguments: tables
  )
  func deleted(_ columns: String) throws {
    let (world, second) = try makeWorld(columns)
    try world.run("DELETE FROM t WHERE c = 'secrets'")
    try world.exportLogs()
    try erase(second, in: world)
    try world.run("INSERT INTO t VALUES (2, 'again', 'z')")
    try world.exportLogs()
    try expectCounts(in: world)
    try world.compareReplicas("erasure")
    #expect(try verify(against(world)).allSatisfy { $0.findings.isEmpty })
  }

  @Test("A row keeps its present values if all of its earlier ones were erased.", arguments: tables)
  func changed(_ columns: String) throws {
    let (world, second) = try makeWorld(columns)
    _ = try world.restore("earlier.db")
    let hasKey = columns != "(a, b, c)"
    // The values of a key are in the id, so they are not erased.
    if hasKey {
      #expect(throws: PipelineError.self) { try erase(second, "a", in: world) }
    }
    let isKey = columns.contains("KEY(")
    try world.run(
      isKey
        ? "UPDATE t SET c = 'new' WHERE a = 2"
        : "UPDATE t SET b = 'new', c = 'newer'\(hasKey ? "" : ", a = 7") WHERE a = 2"
    )
    try world.exportLogs()
    switch (hasKey, isKey) {
    case (false, _): try erase(second, "a", "b", "c", in: world)
    case (_, true): try erase(second, "c", in: world)
    default: try erase(second, "b", "c", in: world)
    }
    try world.compareReplicas("erasure")
    #expect(try recordedRows(of: world.restore("earlier.db")) == recordedRows(of: world.path))
    #expect(try verify(against(world)).allSatisfy { $0.findings.isEmpty })
  }

  @Test(
    "A backup from before an erasure begins a lineage that is sound, with a start that is not proven.",
    arguments: [true, false]
  )
  func recovered(_ isDeleted: Bool) throws {
    let (world, second) = try makeWorld("(a INTEGER PRIMARY KEY, b, c)")
    let backup = world.file("backup.db")
    try FileManager.default.copyItem(atPath: world.path, toPath: backup)
    try world.run(isDeleted ? "DELETE FROM t WHERE a = 2" : "UPDATE t SET c = 'new' WHERE a = 2")
    try world.exportLogs()
    if isDeleted { try erase(second, in: world) } else { try erase(second, "c", in: world) }
    try FileManager.default.removeItem(atPath: world.path)
    try FileManager.default.moveItem(atPath: backup, toPath: world.path)
    try world.run("INSERT INTO t VALUES (4, 'four', 'z')")
    _ = try recover(RecoverRequest(store: world.path, logs: world.logs))
    try world.exportLogs()
    let results = try verify(VerifyRequest(logs: world.logs))
    #expect(results.allSatisfy { $0.findings.isEmpty })
    #expect(results.last?.isUnproven == true)
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
  }

  @Test(
    "An erased value is also erased from generated columns, and the logs can be imported.",
    arguments: ["STORED", "VIRTUAL"],
    [true, false]
  )
  func generated(_ kind: String, _ isDeleted: Bool) throws {
    let (world, second) = try makeWorld(
      "(a INTEGER PRIMARY KEY, b, c, d AS ('+' || c) \(kind), e AS (b || '') \(kind))"
    )
    try world.run("UPDATE t SET c = 'new' WHERE a = 2")
    if isDeleted { try world.run("DELETE FROM t WHERE a = 2") }
    try world.exportLogs()
    try erase(second, "c", in: world)
    try world.run("INSERT INTO t(a, b, c) VALUES (9, 'later', 'z')")
    try world.compareReplicas("erasure")
    #expect(try verify(against(world)).allSatisfy { $0.findings.isEmpty })
    for path in try world.logs.allFiles() {
      #expect(try !output(of: "gzip", ["-dc", path]).contains("secrets"))
    }
  }

  @Test(
    "Rows with erased unique values are replayed, also through a change of their table.",
    arguments: ["(a INTEGER PRIMARY KEY,", "(a TEXT PRIMARY KEY,"],
    [
      " b TEXT NOT NULL UNIQUE, c NOT NULL)", " b TEXT NOT NULL UNIQUE, c INT NOT NULL) STRICT",
      " b REAL NOT NULL, c INT, UNIQUE (b, c))",
    ]
  )
  func unique(_ key: String, _ columns: String) throws {
    let world = try AdoptedWorld("CREATE TABLE t\(key)\(columns)")
    try world.run("INSERT INTO t VALUES (1, 1.5, 1), (2, 2.5, 2), (3, 3.5, 3)")
    try world.run("ALTER TABLE t ADD COLUMN d TEXT")
    try world.exportLogs()
    try world.run("DELETE FROM t WHERE a < '3'")
    try world.exportLogs()
    for change in try world.changes()[0].changes.dropLast() {
      let id = try #require(
        Array(change.dropFirst("insert t ".count).utf8).withUnsafeBytes { RowName(canonical: $0) }
      )
      try erase(ObjectID(id), in: world)
    }
    try expectCounts(in: world)
    try world.compareReplicas("erasure")
  }

  @Test(
    "Erasures of rows of one transaction, with and without the store, leave sound logs.",
    arguments: [[false, true, false], [true, false, true]]
  )
  func mixed(_ withStore: [Bool]) throws {
    let world = try AdoptedWorld(
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')"
    )
    try world.run("INSERT INTO t VALUES (4, 'd'), (5, 'e'), (6, 'f'), (7, 'g')")
    try world.exportLogs()
    try world.run("DELETE FROM t WHERE a <> 7")
    try world.exportLogs()
    for (ids, withStore) in zip([[1, 4], [2, 5], [3, 6]] as [[ObjectID]], withStore) {
      for id in ids { try erase(id, in: world, withStore: withStore) }
      #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    }
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
    #expect(try count(.transaction(1), in: world, "first.db") == 3)
  }

  @Test("After an erasure no byte of a value remains whose history was deleted before.")
  func pruned() throws {
    let (world, second) = try makeWorld("(a INTEGER PRIMARY KEY, b, c)")
    for value in ["Value-4711", "Value-4712", "new"] {
      try world.run("UPDATE t SET b = '\(value)' WHERE a = 2")
      try world.exportLogs()
    }
    _ = try prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
    try world.exportLogs()
    try erase(second, "b", in: world)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: world.path))
    #expect(bytes.range(of: Data("Value-471".utf8)) == nil)
  }

  @Test(
    "Values are erased from the snapshot with which logs begin, also if the table changed since.",
    arguments: ["RENAME COLUMN c TO d", "RENAME TO u", "ADD COLUMN d"]
  )
  func earlierSnapshot(_ change: String) throws {
    let world = try AdoptedWorld(
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);"
        + "INSERT INTO t VALUES (1, 'k', 'x'), (2, 'Value-4711', 'Value-4712')"
    )
    try world.run("ALTER TABLE t \(change)")
    let table = change == "RENAME TO u" ? "u" : "t"
    try world.exportLogs()
    try world.run("DELETE FROM \(table) WHERE a = 2")
    try world.exportLogs()
    var request = EraseRequest(logs: world.logs, entity: table, object: 2)
    request.store = world.path
    _ = try Pipeline.erase(request)
    for path in try world.logs.allFiles() {
      #expect(try !output(of: "gzip", ["-dc", path]).contains("Value-471"), "\(path)")
    }
    #expect(try count(.transaction(1), in: world, "first.db") == 2)
    try world.compareReplicas("erasure")
  }

  @Test("Erased values of a column that got another name are forgotten when it has new values.")
  func renamedColumn() throws {
    let (world, second) = try makeWorld("(a INTEGER PRIMARY KEY, b, c)")
    try world.run("ALTER TABLE t RENAME COLUMN c TO d")
    try world.exportLogs()
    try world.run("UPDATE t SET d = 'new' WHERE a = 2")
    try world.exportLogs()
    try erase(second, "d", in: world)
    try world.run("ALTER TABLE t RENAME TO u")
    try world.compareReplicas("erasure")
    #expect(try verify(against(world)).allSatisfy { $0.findings.isEmpty })
  }

  private func against(_ world: AdoptedWorld) -> VerifyRequest {
    var request = VerifyRequest(logs: world.logs)
    request.against = world.path
    return request
  }

  @Test("An erasure that names a table by its earlier name says how the table is named now.")
  func renamed() throws {
    let (world, second) = try makeWorld("(a INTEGER PRIMARY KEY, b, c)")
    try world.run("DELETE FROM t WHERE c = 'secrets'")
    try world.run("ALTER TABLE t RENAME TO u")
    try world.exportLogs()
    let error = #expect(throws: PipelineError.self) { try erase(second, in: world) }
    #expect(error.map { "\($0)".contains("t is named u now") } == true)
  }
}
