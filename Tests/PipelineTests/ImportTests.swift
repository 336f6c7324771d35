import ChangeLog
import Foundation
import Pipeline
import Store
import StoreTesting
import Testing

@Suite("Importing")
struct ImportTests {
  private func request(_ world: World, _ name: String = "replica.store") -> ImportRequest {
    ImportRequest(logs: world.logs, store: world.folder.appendingPathComponent(name).path)
  }

  private func replica(_ request: ImportRequest) throws -> Store {
    try Store.open(.file(URL(fileURLWithPath: request.store)), options: Options(isReadOnly: true))
  }

  @Test(
    "a store that is imported equals its origin, and its own export has the same lines",
    arguments: 1...3
  )
  func replay(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "replay \(round)")
      let request = request(world)
      for _ in 0..<4 {
        try world.write(15)
        try world.export { $0.maximumFileSize = round == 1 ? 1 : 1 << 20 }
        let result = try importLogs(request)
        #expect(result.to == (try world.source.read { try $0.historyRange().head }))
        let replica = try replica(request)
        #expect(try rowDump(of: replica) == rowDump(of: world.source))
        #expect(try lines(of: replica) == lines(of: world.source))
      }
      let logs = LogFolder(folder.appendingPathComponent("again").path)
      try logs.create()
      _ = try Pipeline.export(ExportRequest(store: request.store, logs: logs))
      let again = try logs.files(of: world.source.identifier, lineage: 0).map {
        try gunzip($0.path)
      }
      let text = again.joined().split(separator: "\n").filter {
        !$0.hasPrefix(#"{"kind":"header""#) && !$0.hasPrefix(#"{"kind":"trailer""#)
      }
      #expect(try text.joined(separator: "\n") + "\n" == world.lines())
    }
  }

  @Test("importing a second time changes nothing")
  func idempotence() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "idempotence")
      try world.write(30)
      try world.export()
      let request = request(world)
      _ = try importLogs(request)
      let rows = try rowDump(of: replica(request))
      let again = try importLogs(request)
      #expect(again.transactions == 0)
      #expect(again.from == again.to)
      #expect(try rowDump(of: replica(request)) == rows)
    }
  }

  @Test("a point ends an import with the state that the store had then", arguments: 1...3)
  func time(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "time \(round)")
      var states: [(Int64, [String])] = []
      for _ in 0..<10 {
        try world.write(4)
        let head = try world.source.read { try $0.historyRange().head.transaction }
        states.append((head, try rowDump(of: world.source)))
      }
      try world.export { $0.maximumFileSize = 3000 }
      for (id, rows) in states {
        var request = request(world, "at \(id).store")
        request.until = .transaction(id)
        #expect(try importLogs(request).to.transaction == id)
        #expect(try rowDump(of: replica(request)) == rows)
      }
      // One replica that is led from point to point comes by all of them.
      var step = request(world)
      for (id, rows) in states {
        step.until = .transaction(id)
        _ = try importLogs(step)
        #expect(try rowDump(of: replica(step)) == rows)
      }
    }
  }

  @Test("a replica that was changed stops the import, with all that differs")
  func differences() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "differences")
      try world.source.write(Author()) { writer in
        try writer.insert(
          worldSchema.entities.firstIndex { $0.name == "Hotel" } ?? 0,
          id: 1000,
          values: [.text("Grand"), .null, .null, .null, .integer(4)]
        )
      }
      try world.export()
      let request = request(world)
      _ = try importLogs(request)
      try runSQL("UPDATE Place SET stars = 1, rating = 2.5 WHERE id = 1000", on: request.store)
      try world.source.write(Author()) { writer in
        try writer.delete(
          worldSchema.entities.firstIndex { $0.name == "Hotel" } ?? 0,
          id: 1000
        )
      }
      try world.write(3)
      try world.export()
      let error = #expect(throws: StoreError.self) { try importLogs(request) }
      #expect(error?.code == .replayMismatch)
      #expect(error?.replayDifferences.count == 2)
      #expect(try replica(request).read { try $0.historyRange().head.transaction } == 1)
    }
  }

  @Test("nothing of a damaged log is applied, and all before it is")
  func damage() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "damage")
      try world.write(10)
      let first = try world.export()
      try world.write(10)
      let second = try world.export()
      let path = try #require(second.files.first)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: URL(fileURLWithPath: path))
      let request = request(world)
      #expect(throws: LogError.self) { try importLogs(request) }
      #expect(try replica(request).read { try $0.historyRange().head } == first.to)
    }
  }

  @Test("a store that is no replica, and one of another store, are refused")
  func wrongStore() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "wrong store")
      try world.write(3)
      try world.export()
      let own = ImportRequest(logs: world.logs, store: world.path)
      #expect(throws: PipelineError.self) { try importLogs(own) }
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("other"),
        withIntermediateDirectories: true
      )
      let other = try World(folder.appendingPathComponent("other"), "other")
      try other.export()
      let replica = ImportRequest(logs: other.logs, store: folder.path + "/other replica")
      #expect(throws: PipelineError.self) { try importLogs(replica) }
    }
  }

  @Test("logs of two stores in one folder are told apart by the store's identifier")
  func severalStores() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "several stores")
      try world.write(5)
      try world.export()
      let people = try Store.open(
        .file(folder.appendingPathComponent("people.store")),
        schema: worldSchema
      )
      for _ in 0..<5 { try world.history.write(to: people) }
      _ = try Pipeline.export(ExportRequest(store: people.location.path, logs: world.logs))
      var request = request(world)
      let error = #expect(throws: PipelineError.self) { try importLogs(request) }
      #expect(error?.code == .otherStore)
      request.origin = people.identifier
      _ = try importLogs(request)
      #expect(try rowDump(of: replica(request)) == rowDump(of: people))
    }
  }
}
