import ChangeLog
import Changes
import Foundation
import Pipeline
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
      #expect(refusal?.message.hasSuffix("The named logs have lineage 0.") == true)
      #expect(refusal?.hint == "Copy the logs of lineage 1 into the folder.")
      middle.lineage = 7
      let missing = #expect(throws: PipelineError.self) { try importLogs(middle) }
      #expect(missing?.code == .missing)
      #expect(missing?.hint == "There are logs of lineage 0, lineage 1.")
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

  @Test("The time of the restored transaction is not ambiguous, but the time of the next one is.")
  func timeOfFork() throws {
    try withTemporaryFolder { folder in
      let logs = try Restored(folder)
      var request = logs.request("at the fork", lineage: nil)
      request.until = try .time(logs.world.time(logs.fork))
      let result = try importLogs(request)
      try #expect(result.to == logs.world.point(logs.fork) && result.to.lineage == 0)
      request = logs.request("after the fork", lineage: nil)
      request.until = try .time(logs.world.time(logs.fork + 1))
      let error = #expect(throws: PipelineError.self) { try importLogs(request) }
      #expect(error?.code == .historyDiverged)
      #expect(error?.message.contains("is ambiguous") == true)
    }
  }

  @Test("If an earlier lineage has only a snapshot, a time after it restores this snapshot.")
  func onlySnapshot() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "lineage of a snapshot")
      for id in 1...2 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export { $0.wantsSnapshot = true }
      let restored = folder.path + "/older.store"
      try copyStore(world.path, to: restored)
      try world.insertGuest(3)
      try world.export()
      let store = try Store.open(.file(URL(fileURLWithPath: restored)))
      let guest = try #require(worldSchema.index(of: "Guest"))
      try store.write(Author(name: "app")) { writer in
        let values = writer.layouts[guest].columns.map { _ in Value.null }
        try writer.insert(guest, id: 4, values: values)
      }
      _ = try recover(RecoverRequest(store: restored, logs: world.logs))
      for path in try world.files() { try FileManager.default.removeItem(atPath: path) }
      let snapshot = try #require(
        try world.logs.snapshots(of: world.source.identifier, lineage: 0).last
      )
      let written = try #require(try LogReader(path: snapshot.path).next())
      var request = ImportRequest(logs: world.logs, store: folder.path + "/snapshot.store")
      request.until = .time(written.time)
      request.allowsUnproven = true
      let result = try importLogs(request)
      try #expect(result.to == world.point(2))
      #expect(result.snapshotObjects == 2 && result.transactions == 0)
    }
  }

  @Test("A point before the lost first log of a lineage is read from the lineage before it.")
  func lostBeginning() throws {
    try withTemporaryFolder { folder in
      let logs = try Restored(folder)
      let files = try logs.world.logs.files(of: logs.world.source.identifier, lineage: 1)
      try #require(files.count > 1)
      try FileManager.default.removeItem(atPath: files[0].path)
      var request = logs.request("before", lineage: nil)
      request.until = .transaction(logs.fork - 1)
      try #expect(importLogs(request).to == logs.world.point(logs.fork - 1))
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

  @Test("The folder of a lineage is a history of only that lineage.")
  func place() throws {
    try withTemporaryFolder { folder in
      let logs = try Restored(folder)
      let store = logs.world.source.identifier
      let path = logs.world.logs.lineageFolder(store, lineage: 0)
      #expect(try History(path).outline.lineage == 0)
      let place = LogPlace(path + "/")
      #expect(place.folder == logs.world.logs)
      #expect(place.store == store)
      #expect(place.lineage == 0)
      #expect(!place.isPart)
      #expect(LogPlace(path + "/date=2026-01-01").isPart)
      #expect(LogPlace(path.replacing("lineage=0", with: "lineage=x")).isPart)
      #expect(LogPlace(path + "/../lineage=0/.").lineage == 0)
      #expect(LogPlace(logs.world.logs.path).store == nil)
      #expect(LogPlace("/x/store=a/other").store == nil)
      let partial = LogPlace("logs/store=\(store)/partial=abc")
      #expect(partial.folder == LogFolder("logs").partial(named: "abc"))
    }
  }

  @Test("A lineage whose folder is empty is not a lineage.")
  func emptyFolder() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "empty lineage")
      try world.write(4)
      try world.export()
      let store = world.source.identifier
      try FileManager.default.createDirectory(
        atPath: world.logs.lineageFolder(store, lineage: 1),
        withIntermediateDirectories: true
      )
      #expect(try world.logs.lineages(of: store) == [0])
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
      try FileManager.default.removeItem(atPath: world.logs.lineageFolder(store, lineage: 0))
      let error = #expect(throws: PipelineError.self) {
        try verify(VerifyRequest(logs: world.logs))
      }
      #expect(error?.code == .missing)
    }
  }
}

extension World {
  /// The time of a transaction in the store's history.
  fileprivate func time(_ id: Int64) throws -> String {
    try source.read { try #require(try $0.transaction(id)?.time) }
  }
}
