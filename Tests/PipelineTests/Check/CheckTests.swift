import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Checking a store against its logs")
struct CheckTests {
  private func findings(
    _ world: World,
    _ change: (inout CheckRequest) -> Void = { _ in }
  ) throws -> (texts: [String], result: CheckResult) {
    var request = CheckRequest(store: world.path)
    change(&request)
    var texts: [String] = []
    let result = try Pipeline.check(request) { texts.append($0.description) }
    return (texts, result)
  }

  private func withPruned(_ body: (inout World, _ guest: Int64) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "checked with logs")
      let guest = worldSchema.index(of: "Guest") ?? 0
      try world.source.write(Author()) { writer in
        let values = writer.layouts[guest].columns.map { _ in Value.null }
        try writer.insert(guest, id: 9_000, values: values)
      }
      try world.write(30)
      try world.export()
      _ = try prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
      try world.write(3)
      try world.export()
      try body(&world, 9_000)
    }
  }

  @Test("A check of pruned history says what it can't compare, and compares that with logs.")
  func pruned() throws {
    try withPruned { world, guest in
      #expect(try findings(world).texts == [])
      #expect(try findings(world).result.unknown > 0)
      let known = try findings(world) { $0.logs = world.logs }
      #expect(known.texts == [])
      #expect(known.result.unknown == 0)
      #expect(known.result.recorded == nil)
    }
  }

  @Test("Changes that bypassed the triggers after a prune are found, recorded and replayed.")
  func recorded() throws {
    try withPruned { world, guest in
      let replica = ImportRequest(logs: world.logs, store: world.folder.path + "/replica.store")
      _ = try importLogs(replica)
      let triggers = try names(ofTriggersOn: world.path)
      try runSQL(
        triggers.map { "DROP TRIGGER \"\($0)\";" }.joined()
          + "UPDATE Guest SET note = 'secret' WHERE id = \(guest);",
        on: world.path
      )
      let alone = try findings(world)
      #expect(alone.texts.allSatisfy { $0.hasPrefix("the trigger ") })
      #expect(alone.texts.count == triggers.count)
      let record = try findings(world) {
        $0.logs = world.logs
        $0.author = Author(name: "auditor")
      }
      // Missing triggers are reported although opening the store created them again.
      #expect(record.texts.count == triggers.count + 1)
      #expect(record.texts.last == #"Guest \#(guest) has other values than in history: ["note"]"#)
      #expect(record.result.recorded != nil)
      #expect(try findings(world) { $0.logs = world.logs }.texts == [])
      try world.export()
      var request = VerifyRequest(logs: world.logs)
      request.against = world.path
      #expect(try verify(request).flatMap(\.findings) == [])
      _ = try importLogs(replica)
      let copy = try Store.open(.file(URL(fileURLWithPath: replica.store)))
      #expect(try rowDump(of: copy) == rowDump(of: world.source))
    }
  }

  @Test("Of many objects that differ from the logs, twenty are named and the others counted.")
  func manyDifferences() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "many differences")
      let guest = worldSchema.index(of: "Guest") ?? 0
      try world.source.write(Author()) { writer in
        let values = writer.layouts[guest].columns.map { _ in Value.null }
        for id in 9_001...9_023 { try writer.insert(guest, id: Int64(id), values: values) }
      }
      try world.export()
      let triggers = try names(ofTriggersOn: world.path)
      try runSQL(
        triggers.map { "DROP TRIGGER \"\($0)\";" }.joined()
          + "DELETE FROM Guest WHERE id BETWEEN 9001 AND 9023;",
        on: world.path
      )
      var request = VerifyRequest(logs: world.logs)
      request.against = world.path
      let texts = try verify(request).flatMap(\.findings).map(\.message)
      #expect(texts.count == 21)
      #expect(texts.last == "3 more objects differ.")
    }
  }

  private func names(ofTriggersOn path: String) throws -> [String] {
    try Store.open(.file(URL(fileURLWithPath: path)), options: Options(isReadOnly: true))
      .read { reader in
        let list = try reader.connection.prepare(
          "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'Guest'"
        )
        var names: [String] = []
        while try list.step() { names.append(list.string(at: 0)) }
        return names
      }
  }

  @Test("Logs of another history are refused.")
  func otherLogs() throws {
    try withPruned { world, _ in
      try withTemporaryFolder { folder in
        let other = try World(folder, "other")
        let error = #expect(throws: PipelineError.self) {
          try findings(world) { $0.logs = other.logs }
        }
        #expect(error?.code == .missing)
      }
    }
  }

  @Test("A column that another program renamed is reported, and nothing is exported.")
  func renamedColumn() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "renamed column")
      try world.write(10)
      try world.export()
      let triggers = try names(ofTriggersOn: world.path)
      try runSQL(
        triggers.map { "DROP TRIGGER \"\($0)\";" }.joined()
          + "ALTER TABLE Guest RENAME COLUMN note TO remark",
        on: world.path
      )
      let found = try findings(world) { $0.author = Author() }
      #expect(found.texts.contains("the table Guest differs from the schema"))
      #expect(found.result.recorded == nil)
      #expect(!found.result.isComplete)
      let other = LogFolder(folder.path + "/other")
      try other.create()
      var request = ExportRequest(store: world.path, logs: other)
      request.wantsSnapshot = true
      request.startsNewFolder = true
      let error = #expect(throws: StoreError.self) { try Pipeline.export(request) }
      #expect(error?.code == .damaged)
      #expect(error?.hint.contains("travelog check") == true)
    }
  }

  @Test("A check waits for a transaction that a program has just written.")
  func justNow() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "just now")
      try world.write(10)
      try runSQL(
        "UPDATE Guest SET note = 'x' WHERE id = (SELECT min(id) FROM Guest)",
        on: world.path
      )
      #expect(try findings(world).texts == [])
    }
  }
}
