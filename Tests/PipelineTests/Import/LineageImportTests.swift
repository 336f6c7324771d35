import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Importing one of several lineages")
struct LineageImportTests {
  /// Logs of a store that was restored from an older copy, and the copy.
  private struct Restored {
    let world: World
    /// The store as it was at the end of the first lineage.
    let lost: String
    /// The transaction that both lineages have.
    let fork: Int64
    /// The store now, in the second lineage.
    let restored: String
    let folder: URL

    init(_ folder: URL) throws {
      self.folder = folder
      var world = try World(folder, "named lineage")
      try world.write(8)
      try world.export()
      fork = try world.source.read { try $0.sealedHead() }
      restored = folder.path + "/older.store"
      try copyStore(world.path, to: restored)
      let older = world.history
      try world.write(6)
      try world.export()
      lost = world.path
      world.history = older
      let store = try Store.open(.file(URL(fileURLWithPath: restored)))
      for _ in 0..<9 { try world.history.write(to: store) }
      _ = try recover(RecoverRequest(store: restored, logs: world.logs))
      self.world = world
    }

    func request(_ name: String, lineage: Int64?) -> ImportRequest {
      var request = ImportRequest(logs: world.logs, store: folder.path + "/\(name).store")
      request.lineage = lineage
      return request
    }

    func dump(_ path: String) throws -> [String] {
      try rowDump(
        of: Store.open(.file(URL(fileURLWithPath: path)), options: Options(isReadOnly: true))
      )
    }
  }

  @Test(
    "A time after the first transaction of a restored copy is a time in the new lineage.",
    arguments: [false, true]
  )
  func timeBeforeRecovery(_ isMigrated: Bool) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "time before recovery")
      for id in Int64(1)...3 { try world.insertGuest(id) }
      try world.export()
      let copy = folder.path + "/copy.store"
      try copyStore(world.path, to: copy)
      try world.insertGuest(4)
      try world.export()
      usleep(5000)
      var time = ""
      do {
        let restored = try World(folder, restoring: copy)
        for id in Int64(11)...13 { try restored.insertGuest(id) }
        usleep(5000)
        time = currentTime()
        usleep(5000)
        try restored.insertGuest(14)
      }
      if isMigrated {
        // A migration can't be reverted, so the lineage begins with the present state of the copy.
        var schema = worldSchema
        schema.version = "99"
        let guest = try #require(schema.index(of: "Guest"))
        schema.entities[guest].attributes.append(
          Attribute(name: "added", type: .string, isOptional: true)
        )
        try Migration.migrate(URL(fileURLWithPath: copy), to: schema, author: Author())
      }
      _ = try recover(RecoverRequest(store: copy, logs: world.logs))
      var request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      request.until = .time(time)
      guard !isMigrated else {
        let error = #expect(throws: PipelineError.self) { try importLogs(request) }
        #expect(error?.code == .historyDiverged)
        return
      }
      let end = try importLogs(request).to
      #expect(end.lineage == 1 && end.transaction == 6)
      let history = try History("\(world.logs.path)@\(time)")
      #expect(history.outline.lineage == 1 && history.last == 6)
    }
  }

  @Test("An old lineage is restored up to its end and up to any point in it.")
  func oldLineage() throws {
    try withTemporaryFolder { folder in
      let logs = try Restored(folder)
      let old = logs.request("old", lineage: 0)
      _ = try importLogs(old)
      #expect(try logs.dump(old.store) == logs.dump(logs.lost))
      let new = logs.request("new", lineage: nil)
      _ = try importLogs(new)
      #expect(try logs.dump(new.store) == logs.dump(logs.restored))
      var middle = logs.request("middle", lineage: 0)
      middle.until = .transaction(logs.fork + 2)
      #expect(try importLogs(middle).to.transaction == logs.fork + 2)
      // The replica continues in its lineage if that is named; otherwise the error names it.
      middle.until = .head
      _ = try importLogs(middle)
      #expect(try logs.dump(middle.store) == logs.dump(logs.lost))
      middle.lineage = nil
      let error = #expect(throws: PipelineError.self) { try importLogs(middle) }
      #expect(error?.code == .historyDiverged)
      #expect(error?.hint.contains("/lineage=0") == true)
      // A replica of the later lineage needs the logs of that lineage.
      var older = new
      older.lineage = 0
      let refusal = #expect(throws: PipelineError.self) { try importLogs(older) }
      #expect(refusal?.code == .missingLogs)
      middle.lineage = 7
      let missing = #expect(throws: PipelineError.self) { try importLogs(middle) }
      #expect(missing?.code == .missing)
    }
  }

  @Test("The time at which a lineage begins selects that lineage.")
  func timeOfBeginning() throws {
    try withTemporaryFolder { folder in
      let logs = try Restored(folder)
      let files = try logs.world.logs.files(of: logs.world.source.identifier, lineage: 1)
      let file = try #require(files.first)
      let first = try #require(try LogReader(path: file.path).next())
      var request = logs.request("then", lineage: nil)
      request.until = .time(first.time)
      #expect(try importLogs(request).to.lineage == 1)
    }
  }

  @Test("A replica of either lineage that is past the point is refused.")
  func pastPoint() throws {
    try withTemporaryFolder { folder in
      let logs = try Restored(folder)
      for lineage in [0, 1] as [Int64] {
        var past = logs.request("past \(lineage)", lineage: lineage)
        let head = try importLogs(past).to.transaction
        for (point, named) in [
          (logs.fork, nil), (logs.fork - 1, nil), (logs.fork - 1, lineage), (head - 1, lineage),
        ] as [(Int64, Int64?)] {
          past.until = .transaction(point)
          past.lineage = named
          let error = #expect(throws: PipelineError.self) { try importLogs(past) }
          #expect(error?.code == .misuse, "\(point) in lineage \(lineage)")
        }
      }
    }
  }

  @Test("The import continues a new replica that is still empty after an interruption.")
  func stopped() throws {
    try withTemporaryFolder { folder in
      let logs = try Restored(folder)
      let request = logs.request("stopped", lineage: nil)
      let schema = logs.world.source.schema
      let origin = ReplicaOrigin(identifier: logs.world.source.identifier, lineage: 1)
      _ = try Store.open(
        .file(URL(fileURLWithPath: request.store)),
        schema: schema,
        options: Options(origin: origin)
      )
      _ = try importLogs(request)
      #expect(try logs.dump(request.store) == logs.dump(logs.restored))
      // An unfinished replica of another lineage is created again.
      let other = logs.request("other", lineage: nil)
      _ = try Store.open(
        .file(URL(fileURLWithPath: other.store)),
        schema: schema,
        options: Options(
          origin: ReplicaOrigin(identifier: logs.world.source.identifier, lineage: 0)
        )
      )
      _ = try importLogs(other)
      #expect(try logs.dump(other.store) == logs.dump(logs.restored))
    }
  }
}

extension World {
  /// The time of a transaction in the store's history.
  fileprivate func time(_ id: Int64) throws -> String {
    try source.read { try #require(try $0.transaction(id)?.time) }
  }
}
