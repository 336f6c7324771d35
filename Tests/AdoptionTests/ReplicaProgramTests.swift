import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite(
  "Random programs that write to replicas",
  .enabled(if: isInstalled("python3") && isInstalled("sqlite3"), "there is no python3 or sqlite3")
)
struct ReplicaProgramTests {
  private let statements = trials(20, long: 200)

  @Test(
    "A replica refuses random statements, and later imports continue it.",
    arguments: SampleSchema.few,
    Client.allCases
  )
  func refused(_ sample: SampleSchema, _ client: Client) throws {
    let world = try AdoptedWorld(client.journal + sample.sql)
    try world.run(RandomProgram(seed: sample.name, statements: statements))
    try world.compareReplicas("statements")
    let replica = world.file("replica.db")
    let rows = try recordedRows(of: replica)
    try world.run(
      RandomProgram(client: client, seed: "\(sample.name) refused", statements: statements),
      on: replica
    )
    #expect(try recordedRows(of: replica) == rows)
    #expect(try world.findings(replica) == [])
    try world.run(RandomProgram(seed: "\(sample.name) later", statements: statements))
    try world.compareReplicas("later")
  }

  @Test(
    "If a program without triggers changes a replica, no command calls the replica right.",
    arguments: SampleSchema.few
  )
  func altered(_ sample: SampleSchema) throws {
    let world = try AdoptedWorld(sample.sql)
    for round in 0..<trials(1, long: 3) {
      try world.run(RandomProgram(seed: "\(sample.name) \(round)", statements: statements))
      try world.exportLogs()
      let replica = try world.restore("replica \(round).db")
      let rows = try recordedRows(of: replica)
      try world.run(.silent("\(sample.name) \(round)", statements), on: replica)
      let changed = try differentTables(rows, recordedRows(of: replica))
      #expect(try world.findings(replica, withLogs: false).isEmpty == changed.isEmpty)
      #expect(try world.findings(replica).isEmpty == changed.isEmpty)
      #expect(try status(of: replica, logs: world.logs).uncaptured?.sorted() == changed)
      var request = VerifyRequest(logs: world.logs)
      request.against = replica
      #expect(try verify(request).allSatisfy { $0.findings.isEmpty } == changed.isEmpty)
      // An import either refuses the replica, or what it did not change still differs.
      try world.run(RandomProgram(seed: "\(sample.name) more \(round)", statements: statements))
      try world.exportLogs()
      do {
        _ = try world.restore("replica \(round).db")
        let isEqual = try recordedRows(of: replica) == recordedRows(of: world.path)
        #expect(try world.findings(replica).isEmpty == isEqual)
      } catch {
        #expect(!changed.isEmpty, "\(error)")
        #expect(try !world.findings(replica).isEmpty)
      }
    }
  }
}
