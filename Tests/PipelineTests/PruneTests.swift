import ChangeLog
import Foundation
import Pipeline
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Pruning")
struct PruneTests {
  @Test(
    "Prune deletes history that verified logs have, records it, and the logs are still imported."
  )
  func prune() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "prune")
      try world.write(20)
      let exported = try world.export()
      try world.write(5)
      var request = PruneRequest(store: world.path, logs: world.logs, keep: .zero)
      request.isDryRun = true
      let plan = try Pipeline.prune(request)
      #expect(plan.through == exported.to.transaction - 1)
      #expect(try world.source.read { try $0.historyRange().oldest } == 1)
      request.isDryRun = false
      let result = try Pipeline.prune(request)
      #expect(result.transactions == exported.to.transaction - 1)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: world.path)).count
      #expect(result.bytesAfter == Int64(bytes))
      let range = try world.source.read { try $0.historyRange() }
      #expect(range.oldest == exported.to.transaction)
      let record = try world.source.read { try $0.transaction(result.record ?? 0) }
      #expect(record?.operation == .prune)
      let state = try #require(record?.mark)
      #expect(state.kind == .snapshot && state.transaction == (result.record ?? 0) - 1)
      #expect(
        record?.details
          == #"{"first":1,"last":\#(exported.to.transaction - 1),\#(state.member)}"#
      )
      // The next export continues, and the logs still give the store.
      try world.write(5)
      try world.export()
      let replica = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      _ = try importLogs(replica)
      let store = try Store.open(.file(URL(fileURLWithPath: replica.store)))
      #expect(try rowDump(of: store) == rowDump(of: world.source))
      #expect(try Pipeline.prune(request).oldest == range.oldest)
    }
  }

  @Test("A dry run of prune reports how many transactions a prune then deletes.")
  func numbers() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "numbers of a prune")
      for id in 1...4 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      /// Expects the numbers of a dry run, and if it is given, the record of the prune.
      func expectRun(oldest: Int64, through: Int64?, deleted: Int64, record: Int64?) throws {
        var request = PruneRequest(store: world.path, logs: world.logs, keep: .zero)
        for isDryRun in [true, false] {
          request.isDryRun = isDryRun
          let result = try Pipeline.prune(request)
          #expect(result.oldest == oldest && result.through == through)
          #expect(result.transactions == deleted)
          #expect(result.record == (isDryRun ? nil : record))
        }
      }
      // The last exported transaction is kept. The first prune is transaction 5.
      try expectRun(oldest: 1, through: 3, deleted: 3, record: 5)
      try expectRun(oldest: 4, through: nil, deleted: 0, record: nil)
      try world.export()
      try expectRun(oldest: 4, through: 4, deleted: 1, record: 6)
    }
  }

  @Test("Prune deletes nothing, without an error, if the only log is a snapshot at the oldest id.")
  func onlySnapshot() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "only a snapshot")
      try world.insertGuest(1)
      try world.export { $0.wantsSnapshot = true }
      let snapshots = try world.logs.snapshots(of: world.source.identifier, lineage: 0)
      #expect(snapshots.map(\.range) == [1...1])
      let logs = LogFolder(folder.path + "/snapshots")
      for snapshot in snapshots {
        let copy = URL(
          fileURLWithPath: snapshot.path.replacing(world.logs.path, with: logs.path)
        )
        try FileManager.default.createDirectory(
          at: copy.deletingLastPathComponent(),
          withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(at: URL(fileURLWithPath: snapshot.path), to: copy)
      }
      let result = try Pipeline.prune(PruneRequest(store: world.path, logs: logs, keep: .zero))
      try #expect(result.verified == world.point(1) && result.oldest == 1)
      #expect(result.through == nil && result.transactions == 0 && result.record == nil)
      try #expect(world.source.read { try $0.historyRange().oldest } == 1)
    }
  }

  @Test("Prune keeps transactions that are not exported, or younger than the given age.")
  func keep() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "keep")
      try world.write(10)
      var request = PruneRequest(store: world.path, logs: world.logs, keep: .zero)
      let error = #expect(throws: PipelineError.self) { try Pipeline.prune(request) }
      #expect(error?.code == .missingLogs)
      try world.export()
      request.keep = .seconds(3600)
      let result = try Pipeline.prune(request)
      #expect(result.through == nil)
      #expect(result.record == nil)
    }
  }

  @Test("Prune deletes transactions that are in no log only if a flag allows it.")
  func ignoringUnlogged() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "unlogged")
      try world.write(6)
      try world.export()
      _ = try Pipeline.prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
      try world.write(3)
      let other = LogFolder(folder.path + "/other")
      try other.create()
      try startLogs(of: world.path, in: other)
      let alone = LogFolder(folder.path + "/alone")
      try FileManager.default.copyItem(atPath: other.path, toPath: alone.path)
      for file in try alone.files(of: world.source.identifier, lineage: 0) {
        try FileManager.default.removeItem(atPath: file.path)
      }
      let error = #expect(throws: PipelineError.self) {
        try FolderHistory(alone, store: world.source.identifier)
      }
      #expect(error?.message.contains("contain only the state after transaction") == true)
      try world.write(3)
      let last = try Pipeline.export(ExportRequest(store: world.path, logs: other)).to.transaction
      var request = PruneRequest(store: world.path, logs: other, keep: .zero)
      let refusal = #expect(throws: PipelineError.self) { try Pipeline.prune(request) }
      #expect(refusal?.hint.contains("--ignore-unlogged") == true)
      request.ignoresUnlogged = true
      #expect(try Pipeline.prune(request).through == last - 1)
      try world.write(2)
      _ = try Pipeline.export(ExportRequest(store: world.path, logs: other))
      let replica = ImportRequest(logs: other, store: folder.path + "/replica.store")
      _ = try importLogs(replica)
      let copy = try Store.open(.file(URL(fileURLWithPath: replica.store)))
      #expect(try rowDump(of: copy) == rowDump(of: world.source))
    }
  }

  @Test("Prune keeps history that the logs have only as a snapshot, and export says so.")
  func stateAlone() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "prune state")
      try world.write(12)
      try world.export()
      _ = try Pipeline.prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
      try world.write(5)
      let before = try world.source.read { try $0.historyRange() }
      let oldest = try #require(before.oldest)
      #expect(oldest > 1)

      // A new folder starts with the state before the prune; earlier transactions are in no log there.
      let base = before.head.transaction - 6
      let other = LogFolder(folder.path + "/other logs")
      func export() throws -> ExportResult {
        try Pipeline.export(ExportRequest(store: world.path, logs: other))
      }
      let first = try startLogs(of: world.path, in: other)
      #expect(first.from.transaction == base && first.snapshot != nil)
      let words = oldest == base ? "\(base)" : "\(oldest) to \(base)"
      #expect(first.notices.contains { $0.message.contains(words) })
      try world.write(3)
      #expect(try export().notices.isEmpty)
      var request = PruneRequest(store: world.path, logs: other, keep: .zero)
      for isDryRun in [true, false] {
        request.isDryRun = isDryRun
        let error = #expect(throws: PipelineError.self) { try Pipeline.prune(request) }
        #expect(error?.code == .missingLogs)
        #expect(error?.message.contains(words) == true)
      }
      #expect(try world.source.read { try $0.historyRange() }.oldest == oldest)
    }
  }

  @Test(
    "Prune deletes nothing if the oldest logs are missing, even if a snapshot is left."
  )
  func oldestMissing() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "prune oldest")
      try world.write(6)
      let first = try world.export()
      try world.write(6)
      var snapshot = ExportRequest(store: world.path, logs: world.logs)
      snapshot.wantsSnapshot = true
      let second = try Pipeline.export(snapshot)
      try world.write(4)
      try world.export()
      for path in first.files + second.files where !path.contains("snapshot") {
        try FileManager.default.removeItem(atPath: path)
      }
      let error = #expect(throws: PipelineError.self) {
        try Pipeline.prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
      }
      #expect(error?.code == .missingLogs)
      #expect(try world.source.read { try $0.historyRange() }.oldest == 1)
    }
  }

  @Test("Prune deletes nothing if a log is damaged, or is of another history.")
  func damage() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "prune damage")
      try world.write(10)
      let copy = folder.appendingPathComponent("copy.store").path
      try copyStore(world.path, to: copy)
      try world.write(3)
      let result = try world.export()
      let other = PruneRequest(store: copy, logs: world.logs, keep: .zero)
      let error = #expect(throws: PipelineError.self) { try Pipeline.prune(other) }
      #expect(error?.code == .historyDiverged)
      let url = URL(fileURLWithPath: try #require(result.files.first))
      var bytes = try Data(contentsOf: url)
      bytes[bytes.count - 30] ^= 4
      try bytes.write(to: url)
      let request = PruneRequest(store: world.path, logs: world.logs, keep: .zero)
      #expect(throws: PipelineError.self) { try Pipeline.prune(request) }
      #expect(try world.source.read { try $0.historyRange().oldest } == 1)
    }
  }
}

@Suite("Status of exports")
struct StatusTests {
  @Test("Status reports waiting transactions, and whether the next export can continue.")
  func status() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "status")
      try world.write(10)
      func status() throws -> Status { try Pipeline.status(of: world.path, logs: world.logs) }
      let never = try status()
      #expect(never.logs?.health == .notExported)
      #expect(never.logs?.lagTransactions == never.head.transaction)
      #expect(try never.logs?.waitingSince == world.source.read { try $0.transaction(1)?.time })
      let first = try world.export()
      #expect(try status().logs?.health == .ok)
      #expect(try status().logs?.lagTransactions == 0)
      #expect(try status().logs?.exported == first.to)
      #expect(try status().logs?.files == first.files.count)
      let sizes = try first.files.map { try Data(contentsOf: URL(fileURLWithPath: $0)).count }
      #expect(try status().logs?.bytes == Int64(sizes.reduce(0, +)))
      try world.write(10)
      let later = try status()
      #expect(later.logs?.lagTransactions == later.head.transaction - first.to.transaction)
      #expect(later.logs?.waitingSince != nil)
      try world.source.deleteHistory([1...first.to.transaction + 1])
      #expect(try status().logs?.health == .expired)
      for file in first.files { try FileManager.default.removeItem(atPath: file) }
      #expect(try status().logs?.health == .logsMissing)
    }
  }

  @Test("Status says in a sentence what the next export would report, and which command to run.")
  func sentences() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "status sentences")
      world.history.hasLargeValues = false
      try world.write(6)
      let identifier = world.source.identifier
      let export = "Run “travelog export \(world.path) --to \(world.logs.path)”."
      func status(_ logs: LogFolder? = nil) throws -> Status.Logs {
        try #require(Pipeline.status(of: world.path, logs: logs ?? world.logs).logs)
      }
      /// Expects that status reports the error of the next export.
      func expectRefusal(_ health: Status.Health, _ logs: LogFolder, hint: String) throws {
        let error = #expect(throws: PipelineError.self) {
          try world.export { $0.logs = logs }
        }
        let status = try status(logs)
        #expect(status.health == health)
        #expect(status.message == error?.message && status.hint == error?.hint)
        #expect(status.hint?.contains(hint) == true, "\(status.hint ?? "")")
      }
      let never = try status()
      #expect(never.health == .notExported && never.hint == export)
      #expect(never.message?.contains("was not exported to \(world.logs.path) yet") == true)
      try world.export()
      let copy = folder.appendingPathComponent("older.store").path
      try copyStore(world.path, to: copy)
      let well = try status()
      #expect(well.message == nil && well.hint == nil)

      try world.write(1)
      let behind = try status()
      #expect(behind.health == .ok && behind.hint == export)
      #expect(behind.message?.contains("1 transaction of \(world.path) is not exported") == true)
      try world.export()

      let token = URL(fileURLWithPath: world.logs.token(of: identifier))
      let bytes = try Data(contentsOf: token)
      try bytes.dropLast(9).write(to: token)
      let damaged = try status()
      #expect(damaged.health == .ok && damaged.lagTransactions == 0)
      #expect(damaged.message?.contains("\(token.path) can't be read") == true)
      #expect(damaged.hint?.contains("rebuilds the token") == true)
      try FileManager.default.removeItem(at: token)
      let missing = try status()
      #expect(missing.health == .ok && missing.lagTransactions == 0)
      #expect(missing.message?.contains("\(token.path) is missing") == true)
      try bytes.write(to: token)

      let unmounted = LogFolder(folder.path + "/unmounted")
      let none = #expect(throws: PipelineError.self) { try status(unmounted) }
      #expect(none?.code == .missing)
      try unmounted.create()
      try expectRefusal(.logsMissing, unmounted, hint: "--new-folder")
      try world.write(3)
      try world.source.deleteHistory([1...world.source.read { try $0.sealedHead() } - 1])
      try expectRefusal(.expired, world.logs, hint: "travelog recover")
      let older = try #require(Pipeline.status(of: copy, logs: world.logs).logs)
      #expect(older.health == .diverged && older.hint?.contains("travelog recover") == true)
    }
  }
}
