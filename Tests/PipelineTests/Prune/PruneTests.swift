import ChangeLog
import Foundation
import Pipeline
import PipelineTesting
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
