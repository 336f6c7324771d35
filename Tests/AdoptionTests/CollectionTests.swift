import Adoption
import ChangeLog
import Changes
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
}

@Suite(
  "Schemas of applications, with random statements",
  .enabled(if: isInstalled("python3"), "there is no python3")
)
struct CollectionTests {
  private var count: String { "\(trials(30, long: 10_000))" }

  @Test("The collection has at least sixty schemas.")
  func size() { #expect(SampleSchema.all.count >= 60) }

  @Test(
    "Brackets give the program's transactions one for one, with the state of each copy",
    arguments: SampleSchema.all
  )
  func brackets(_ sample: SampleSchema) throws {
    let world = try AdoptedWorld(sample.sql, isAdopted: false)
    let schema = try schemaStatements(of: world.path)
    _ = try Store.adopt(world.path)
    let copies = world.file("copies")
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    let requests = try output(
      of: "python3",
      [program("random_program.py"), world.path, sample.name, count, "--brackets"]
        + ["--copies", copies, "--every", "5"]
    ).split(separator: "\n").map(String.init)
    let changes = try world.changes()
    #expect(changes.map { $0.request ?? "" } == requests)
    #expect(changes.allSatisfy { $0.detail("boundary") == "proven" && $0.author != nil })
    try world.exportLogs()
    #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
    let replica = try world.restore("replica.db")
    #expect(try recordedRows(of: replica) == recordedRows(of: world.path))
    for name in try FileManager.default.contentsOfDirectory(atPath: copies) {
      let request = name.replacingOccurrences(of: ".db", with: "")
      let index = try #require(changes.firstIndex { $0.request == request })
      // The adoption is transaction 1.
      let past = try world.restore("past-\(name)", until: .transaction(Int64(index) + 2))
      #expect(try recordedRows(of: past) == recordedRows(of: copies + "/" + name), "\(request)")
    }
    try Store.detach(world.path)
    #expect(try schemaStatements(of: world.path) == schema)
  }

  @Test(
    "Without brackets the final state is equal, and no author is invented",
    arguments: SampleSchema.all
  )
  func noBrackets(_ sample: SampleSchema) throws {
    let world = try AdoptedWorld(sample.sql)
    let arguments = [program("random_program.py"), world.path]
    let runs: [(seed: String, flags: [String])] = [
      ("first", []), ("second", []), ("third", ["--ddl"]),
    ]
    for (seed, flags) in runs {
      try output(of: "python3", arguments + [sample.name + seed, count] + flags)
      try world.exportLogs()
      let replica = try world.restore("replica.db")
      #expect(try recordedRows(of: replica) == recordedRows(of: world.path), "\(seed)")
    }
    #expect(try world.changes().allSatisfy { $0.author == nil })
    let new = try world.restore("new.db")
    #expect(try recordedRows(of: new) == recordedRows(of: world.path))
  }
}
