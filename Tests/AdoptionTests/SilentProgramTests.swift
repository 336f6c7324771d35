import Format
import Foundation
import Pipeline
import Store
import TestSupport
import Testing

@Suite(
  "Random programs, one of which disables triggers",
  .enabled(if: isInstalled("python3") && isInstalled("sqlite3"), "there is no python3 or sqlite3")
)
struct SilentProgramTests {
  private let statements = trials(20, long: 200)

  @Test(
    "Exactly the tables that a program changed without triggers are reported, and then recorded.",
    arguments: SampleSchema.few
  )
  func one(_ sample: SampleSchema) throws {
    let world = try AdoptedWorld(sample.sql)
    try world.compareReplicas("adoption")
    for round in 0..<trials(1, long: 3) {
      try world.run(RandomProgram(seed: "\(sample.name) seen \(round)", statements: statements))
      try world.exportLogs()
      let before = try recordedRows(of: world.path)
      try world.run(.silent("\(sample.name) \(round)", statements))
      let changed = differentTables(before, try recordedRows(of: world.path))
      #expect(try status(of: world.path, logs: world.logs).uncaptured?.sorted() == changed)
      #expect(try world.findings(world.path).isEmpty == changed.isEmpty)
      let count = try world.changes().count
      try world.compareReplicas("round \(round)")
      let new = try world.changes().dropFirst(count)
      #expect(
        new.allSatisfy {
          $0.operation == "difference" && $0.details.contains(#""captured":false"#)
        }
      )
      #expect(new.isEmpty == changed.isEmpty)
    }
  }

  @Test(
    "If only one of two programs disables triggers, history agrees with each other table.",
    arguments: SampleSchema.few,
    ["DELETE", "WAL"]
  )
  func two(_ sample: SampleSchema, _ journal: String) throws {
    let world = try AdoptedWorld("PRAGMA journal_mode = \(journal);" + sample.sql)
    try world.compareReplicas("adoption")
    for round in 0..<trials(1, long: 3) {
      try world.run(
        RandomProgram(seed: "\(sample.name) \(round)", statements: statements),
        .silent("\(sample.name) \(round)", statements)
      )
      // This records the captured changes, and the missing changes between them.
      let head = Int64(try world.history().count)
      let uncaptured = try status(of: world.path, logs: world.logs).uncaptured?.sorted()
      let rows = try recordedRows(of: world.path)
      #expect(try world.findings(world.path).isEmpty == uncaptured?.isEmpty)
      try world.exportLogs()
      #expect(try status(of: world.path, logs: world.logs).uncaptured == [])
      try world.compareReplicas("round \(round)")
      do {
        let past = try world.restore("past \(round).db", until: .transaction(head))
        #expect(try differentTables(recordedRows(of: past), rows) == uncaptured)
      } catch let error as StoreError where error.code == .replayMismatch {
        // A missing change preceded a captured change of the same row, so this state is not known.
        #expect(uncaptured?.isEmpty == false)
      }
    }
  }
}
