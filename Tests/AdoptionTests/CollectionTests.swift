import Adoption
import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

/// A schema in the shape of an application's.
struct SampleSchema: Sendable, CustomTestStringConvertible {
  let name: String
  let sql: String

  var testDescription: String { name }

  static let all: [SampleSchema] = {
    // A missing file gives no schemas, and the test of their number fails.
    let text = (try? String(contentsOfFile: program("schemas.sql"), encoding: .utf8)) ?? ""
    return text.components(separatedBy: "\n-- schema: ").dropFirst().map { part in
      let lines = part.split(separator: "\n", maxSplits: 1)
      return SampleSchema(name: String(lines[0]), sql: String(lines.last ?? ""))
    }
  }()

  /// All schemas, or the schema that `TRAVELOG_SCHEMA` names.
  static let chosen: [SampleSchema] = {
    let name = ProcessInfo.processInfo.environment["TRAVELOG_SCHEMA"] ?? ""
    return name.isEmpty ? all : all.filter { $0.name == name }
  }()

  /// Every twentieth of the chosen schemas; all of them in long tests.
  static let few = chosen.enumerated().filter { $0.offset % trials(20, long: 1) == 0 }
    .map(\.element)

  /// Every sixth of the chosen schemas from one of the first six on; all of them in long tests.
  ///
  /// Six laws begin at different schemas, so together they try all of them.
  static func sixths(from first: Int) -> [SampleSchema] {
    let step = trials(6, long: 1)
    return chosen.enumerated().filter { $0.offset % step == first % step }.map(\.element)
  }
}

/// The program that runs random statements, and the journal of its database.
enum Client: CaseIterable, CustomTestStringConvertible {
  case python, shell

  var testDescription: String { self == .python ? "Python" : "sqlite3" }
  var flags: [String] { self == .python ? [] : ["--shell"] }
  /// Both kinds of journals are tried.
  var journal: String { "PRAGMA journal_mode = \(self == .python ? "DELETE" : "WAL");\n" }
}

@Suite(
  "Schemas of applications, with random statements",
  .enabled(if: isInstalled("python3") && isInstalled("sqlite3"), "there is no python3 or sqlite3")
)
struct CollectionTests {
  /// The number of statements in each run of a program; each program has at least five runs for
  /// each schema.
  private let count: Int = {
    let chosen = ProcessInfo.processInfo.environment["TRAVELOG_STATEMENTS"].flatMap { Int($0) }
    return trials(100, long: chosen ?? 10_000) / 5
  }()

  /// Runs random statements on a file with several programs at the same time.
  ///
  /// - Returns: For each program, the requests of its transactions.
  @discardableResult
  private func run(
    _ clients: [Client],
    on path: String,
    seed: String,
    flags: (Client) -> [String]
  ) throws -> [[String]] {
    let commands = clients.map { client in
      RandomProgram(client: client, seed: seed, statements: count, flags: flags(client))
        .command(on: path)
    }
    return try outputs(of: commands).map { $0.split(separator: "\n").map(String.init) }
  }

  /// Lets the reader that was written from FORMAT compare the logs with the rows of a file.
  private func readIndependently(_ world: AdoptedWorld) throws {
    let files = FileManager.default.enumerator(atPath: world.logs.path)?.compactMap {
      $0 as? String
    }
    let logs = (files ?? []).filter { $0.hasSuffix(".ndjson.gz") }
    #expect(!logs.isEmpty)
    let reader = program("../../Readers/read_log.py")
    try output(
      of: "python3",
      [program("compare_rows.py"), world.path, reader] + logs.map { world.logs.path + "/" + $0 }
    )
  }

  @Test("The collection has at least sixty schemas.")
  func size() { #expect(SampleSchema.all.count >= 60) }

  @Test(
    "Each bracket becomes one transaction, and history has the state of each copy.",
    arguments: SampleSchema.sixths(from: 0),
    Client.allCases
  )
  func brackets(_ sample: SampleSchema, _ client: Client) throws {
    let world = try AdoptedWorld(client.journal + sample.sql, isAdopted: false)
    let schema = try schemaStatements(of: world.path)
    _ = try Store.adopt(world.path)
    let copies = world.file("copies")
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    let requests = try run([client], on: world.path, seed: sample.name) { _ in
      ["--brackets", "--copies", copies, "--every", "\(max(5, count / 100))"]
    }[0]
    let changes = try world.changes()
    #expect(changes.map { $0.request ?? "" } == requests)
    #expect(changes.allSatisfy { $0.detail("boundary") == "proven" && $0.author != nil })
    try world.exportLogs()
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    for (index, request) in requests.enumerated() {
      let copy = copies + "/\(request).db"
      guard FileManager.default.fileExists(atPath: copy) else { continue }
      // The adoption is transaction 1. Each import continues the same replica.
      let past = try world.restore("past.db", until: .transaction(Int64(index) + 2))
      #expect(try recordedRows(of: past) == recordedRows(of: copy), "\(request)")
    }
    let replica = try world.restore("replica.db")
    #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
    try readIndependently(world)
    try Store.detach(world.path)
    #expect(try schemaStatements(of: world.path) == schema)
  }

  @Test(
    "If two programs use brackets at once, the transactions of each program keep their order.",
    arguments: SampleSchema.few
  )
  func twoPrograms(_ sample: SampleSchema) throws {
    let world = try AdoptedWorld(sample.sql)
    let requests = try run(Client.allCases, on: world.path, seed: sample.name + " of two") {
      ["--brackets", "--name", "\($0)"]
    }
    let changes = try world.changes()
    #expect(changes.count == requests[0].count + requests[1].count)
    for (client, requests) in zip(Client.allCases, requests) {
      let recorded = changes.compactMap { $0.request }.filter {
        $0.hasPrefix("\(client)")
      }
      #expect(recorded == requests)
    }
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
  }

  @Test(
    "Without brackets the final state is equal, and no author is invented",
    arguments: SampleSchema.sixths(from: 1)
  )
  func noBrackets(_ sample: SampleSchema) throws {
    let world = try AdoptedWorld(sample.sql)
    let runs: [(seed: String, flags: [String], clients: [Client])] = [
      ("first", [], [.python]), ("second", [], [.shell]), ("third", ["--ddl"], [.python]),
      ("fourth", ["--ddl"], [.shell]), ("fifth", [], [.python, .shell]),
    ]
    for (seed, flags, clients) in runs {
      try run(clients, on: world.path, seed: "\(sample.name) \(seed)") { _ in flags }
      try world.exportLogs()
      let replica = try world.restore("replica.db")
      #expect(try recordedRows(of: replica) == recordedRows(of: world.path), "\(seed)")
      // The next run has the other kind of journal.
      try world.run("PRAGMA journal_mode = \(seed == "second" ? "DELETE" : "WAL")")
    }
    #expect(try world.changes().allSatisfy { $0.author == nil })
    let new = try world.restore("new.db")
    #expect(try recordedRows(of: new) == recordedRows(of: world.path))
    try readIndependently(world)
  }

  @Test(
    "In UTF-16, texts with unpaired surrogates keep their bytes in logs and in replicas.",
    arguments: SampleSchema.few,
    Client.allCases
  )
  func utf16(_ sample: SampleSchema, _ client: Client) throws {
    let encoding = client == .python ? "UTF-16le" : "UTF-16be"
    let world = try AdoptedWorld(client.journal + sample.sql, encoding: encoding)
    for (seed, flags) in [("brackets", ["--brackets"]), ("tables", ["--ddl"]), ("last", [])] {
      let requests = try run([client], on: world.path, seed: "\(sample.name) \(seed)") { _ in
        ["--encoding", encoding] + flags
      }[0]
      let changes = try world.changes()
      if seed == "brackets" { #expect(changes.map { $0.request ?? "" } == requests) }
      try world.exportLogs()
      #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
      let replica = try world.restore("replica.db")
      #expect(try recordedRows(of: replica) == recordedRows(of: world.path), "\(seed)")
      for path in [world.path, replica] {
        try readableStore(path).check { Issue.record("\($0) in \(path)") }
      }
    }
    let new = try world.restore("new.db")
    #expect(try recordedRows(of: new) == recordedRows(of: world.path))
  }

  @Test(
    "A migration with random statements reaches a replica, and history keeps the state before it.",
    arguments: SampleSchema.sixths(from: 2)
  )
  func migrations(_ sample: SampleSchema) throws {
    let world = try AdoptedWorld(sample.sql)
    let copy = world.file("copy.db")
    try Connection(path: world.path, mode: .readWrite).execute("VACUUM INTO \(literal(copy))")
    try run([.python], on: world.path, seed: sample.name + " before") { _ in ["--brackets"] }
    for (client, seed) in [(Client.python, "first"), (.shell, "second")] {
      _ = try Store.suspend(world.path) {
        try run([client], on: world.path, seed: "\(sample.name) \(seed)") { _ in
          ["--ddl", "--drop"]
        }
      }
    }
    try readableStore(world.path).check { Issue.record("\($0)") }
    try world.exportLogs()
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
    let past = try world.restore("past.db", until: .transaction(1))
    #expect(try recordedRows(of: past) == recordedRows(of: copy))
    try readIndependently(world)
  }

  @Test(
    "If a program with brackets changes tables, no transaction has the request of another one.",
    arguments: SampleSchema.few
  )
  func changedTables(_ sample: SampleSchema) throws {
    let world = try AdoptedWorld(sample.sql)
    try world.exportLogs()
    let requests = try run([.python], on: world.path, seed: sample.name + " tables") { _ in
      ["--brackets", "--ddl"]
    }[0]
    let recorded = try world.changes().compactMap { $0.request }
    // The captured changes of a table without a key are left out after VACUUM.
    #expect(recorded == requests.filter(Set(recorded).contains))
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
  }
}
