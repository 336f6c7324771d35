import ChangeLog
import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Transactions that prove snapshots and gaps")
struct MarkTests {
  private func open(_ path: String) throws -> Store {
    try Store.open(.file(URL(fileURLWithPath: path)), options: Options(isReadOnly: true))
  }

  private func verified(
    _ logs: LogFolder,
    heads: [Digest] = [],
    replays: Bool = false
  ) throws -> Verification {
    var request = VerifyRequest(logs: logs)
    request.heads = heads
    request.replaysSnapshots = replays
    let result = try #require(try verify(request).first)
    #expect(result.findings == [])
    return result
  }

  /// Adds a snapshot of the present rows that no transaction names.
  private func addSnapshot(at point: HistoryPoint, to world: World) throws {
    try world.source.read { reader in
      let log = try SnapshotLog(
        of: world.source,
        reader: reader,
        at: point,
        stamp: Provenance.system.stamp(Author(), 0)
      )
      _ = try log.write(to: world.logs, level: 1, marking: { _ in }, tick: { _ in })
    }
  }

  @Test("An export with a snapshot records the transaction that proves it, and exports that too.")
  func snapshot() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "marked snapshot")
      try world.write(8)
      let state = try world.source.read { try $0.historyRange().head }
      let first = try world.export { $0.wantsSnapshot = true }
      let head = try world.source.read { try $0.historyRange().head }
      #expect(head.transaction == state.transaction + 1 && first.to == head && first.notices == [])
      let mark = try #require(try world.source.read { try $0.transaction(head.transaction) })
      #expect(mark.operation == .mark && mark.count == 0)
      #expect(mark.mark?.transaction == state.transaction)
      // The state is still the one of the snapshot.
      #expect(try world.export { $0.wantsSnapshot = true }.snapshot == first.snapshot)
      #expect(try world.source.read { try $0.historyRange().head } == head)
      #expect(try verified(world.logs).except == [])
      #expect(try verified(world.logs, replays: true).except == [])
      // A head from before the mark proves only what is before it.
      #expect(try verified(world.logs, heads: [state.digest]).except.map(\.kind) == [.snapshot])
      #expect(try verified(world.logs, heads: [head.digest]).isUnproven == false)
    }
  }

  @Test("The logs of a pruned store begin with the state that its last prune proves.")
  func prunedStore() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "pruned and proven")
      try world.write(12)
      try world.export()
      let state = try world.source.read { try $0.historyRange().head }
      let prune = PruneRequest(store: world.path, logs: world.logs, keep: .zero)
      let record = try #require(try Pipeline.prune(prune).record)
      #expect(record == state.transaction + 1)
      try world.write(5)
      let other = LogFolder(folder.path + "/other")
      try other.create()
      let first = try startLogs(of: world.path, in: other)
      #expect(first.from == state && first.transactions == 6)
      let result = try verified(other)
      #expect(result.from == state && result.except == [])
      #expect(try verified(other, heads: [first.to.digest]).isUnproven == false)
      #expect(try verified(other, heads: [state.digest]).except.map(\.kind) == [.base])
      let request = ImportRequest(logs: other, store: folder.path + "/replica.store")
      _ = try importLogs(request)
      #expect(try rowDump(of: open(request.store)) == rowDump(of: world.source))
    }
  }

  @Test("A snapshot that nothing proves is not used for a state that all transactions give.")
  func addedSnapshot() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "added snapshot")
      try world.write(8)
      try world.export()
      let (point, count) = try world.source.read { reader in
        (
          try reader.point(4),
          try (1...4).reduce(0) { try $0 + (reader.transaction($1)?.count ?? 0) }
        )
      }
      // The state is that of a later transaction.
      try addSnapshot(at: point, to: world)
      let history = try FolderHistory(world.logs, store: world.source.identifier)
      var found: Int64 = 0
      try history.replay(through: 4)?.read { _ in found += 1 }
      #expect(found == count)
      #expect(try history.unprovenStart(through: 4) == nil)
    }
  }

  @Test("A snapshot of a transaction after the end of the logs is not proven.")
  func snapshotAfterTheEnd() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "snapshot after the end")
      try world.write(4)
      try world.export()
      try world.write(4)
      let point = try world.source.read { try $0.historyRange().head }
      try addSnapshot(at: point, to: world)
      let result = try verified(world.logs)
      #expect(result.to.transaction < point.transaction)
      #expect(result.except.map(\.kind) == [.snapshot] && result.isUnproven)
    }
  }

  @Test("A gap in filtered logs that no later transaction names is not proven.")
  func filteredGap() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "gap in filtered logs")
      try world.write(8)
      var filter = ExportFilter()
      filter.entities = ["Guest"]
      try world.export { $0.filter = filter }
      let head = try world.source.read { try $0.historyRange().head }
      let logs = world.logs.partial(leavingOut: filter.words)
      let store = world.source.identifier
      try FileManager.default.removeItem(atPath: logs.lineageFolder(store, lineage: 0))
      let transaction = try madeUpTransaction(
        head.transaction,
        operation: .gap,
        details: Gap(first: 1, resumes: head.digest).details,
        schema: world.source.schema,
        of: world.source,
        count: 0
      )
      let header = LogHeader(
        store: store,
        lineage: 0,
        first: 1,
        previous: TransactionDigest.beginning(ofStore: store, lineage: 0),
        schema: world.source.schema,
        partial: filter.words
      )
      let day = LogDestination.day(String(transaction.time.prefix(10)), logs)
      _ = try writeLog(of: transaction, header: header, destination: day, blobs: logs.blobs) { _ in
      }
      var request = VerifyRequest(logs: world.logs)
      request.includesFiltered = true
      request.heads = [head.digest]
      let result = try #require(try verify(request).last)
      #expect(result.findings == [] && result.except.map(\.kind).contains(.gap))
      #expect(result.isUnproven)
    }
  }

  @Test("If the state at the last prune can't be restored, the logs begin with the present state.")
  func withoutSeed() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "pruned and erased")
      try world.write(12)
      try world.export()
      _ = try Pipeline.prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
      // Without its seed nobody can guess values from the digest of the snapshot.
      try runSQL("UPDATE history_transaction SET seed = x'' WHERE op = 'prune'", on: world.path)
      try world.write(3)
      let head = try world.source.read { try $0.historyRange().head }
      let other = LogFolder(folder.path + "/other")
      try other.create()
      let first = try startLogs(of: world.path, in: other)
      #expect(first.from == head && first.transactions == 1)
      #expect(try verified(other).except == [])
    }
  }

  @Test("A snapshot that a replica exports is unproven, and import refuses it without a flag.")
  func replica() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "snapshot of a replica")
      try world.write(8)
      try world.export { $0.wantsSnapshot = true }
      var request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      request.fromSnapshot = true
      _ = try importLogs(request)
      let other = LogFolder(folder.path + "/other")
      try other.create()
      let first = try startLogs(of: request.store, in: other)
      #expect(first.notices.contains { $0.message.contains("is unproven") })
      #expect(try verified(other).except.map(\.kind) == [.base])
      var copy = ImportRequest(logs: other, store: folder.path + "/copy.store")
      let error = #expect(throws: PipelineError.self) { try importLogs(copy) }
      #expect(error?.code == .unproven && error?.hint.contains("--allow-unproven") == true)
      #expect(!FileManager.default.fileExists(atPath: copy.store))
      copy.allowsUnproven = true
      _ = try importLogs(copy)
      #expect(try rowDump(of: open(copy.store)) == rowDump(of: world.source))
    }
  }

  @Test("A snapshot that no transaction proves is compared with a replay of the logs.")
  func replay() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "replayed snapshot")
      try world.write(6)
      try world.export()
      let replica = folder.path + "/replica.store"
      _ = try importLogs(ImportRequest(logs: world.logs, store: replica))
      let other = LogFolder(folder.path + "/other")
      try other.create()
      var export = ExportRequest(store: replica, logs: other)
      export.startsNewFolder = true
      export.wantsSnapshot = true
      let exported = try Pipeline.export(export)
      #expect(exported.to == (try world.source.read { try $0.historyRange().head }))
      let result = try verified(other)
      #expect(result.snapshots == 1 && result.except == [])
      // After a position nothing before it is read, so nothing can be replayed.
      let point = try world.source.read { try $0.point(2) }
      var request = VerifyRequest(logs: other)
      request.after = TrustedPosition(transaction: 2, digest: point.digest)
      let later = try verify(request)
      #expect(later.map(\.findings) == [[]])
      #expect(later.flatMap(\.except).map(\.kind) == [.snapshot])
    }
  }

  @Test("Objects in which an unproven snapshot differs from a replay are findings, at most twenty.")
  func differences() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "different snapshot")
      let hotel = worldSchema.index(of: "Hotel") ?? 0
      try world.source.write(Author()) { writer in
        for id in Int64(1)...22 {
          let values: [Value] = [.text("\(id)"), .null, .null, .null, .integer(4)]
          try writer.insert(hotel, id: id, values: values)
        }
      }
      try world.export()
      let replica = folder.path + "/replica.store"
      _ = try importLogs(ImportRequest(logs: world.logs, store: replica))
      // Without triggers, nothing of this change is captured.
      let triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
      for name in try rows(triggers, in: open(replica)) {
        try runSQL("DROP TRIGGER \"\(name)\"", on: replica)
      }
      try runSQL("UPDATE Place SET rating = 2.5", on: replica)
      let other = LogFolder(folder.path + "/other")
      try other.create()
      var export = ExportRequest(store: replica, logs: other)
      export.startsNewFolder = true
      export.wantsSnapshot = true
      _ = try Pipeline.export(export)
      let findings = try verify(VerifyRequest(logs: other)).flatMap(\.findings).map(\.message)
      #expect(findings.count == 21)
      #expect(findings.dropLast().allSatisfy { $0.hasPrefix("Hotel ") && $0.contains("rating") })
      #expect(findings.last == "2 more objects differ.")
    }
  }

  @Test("A gap that recover records is proven by a later transaction.")
  func gap() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "proven gap")
      try world.write(10)
      let base = try world.export().to.transaction
      try world.write(10)
      try world.source.deleteHistory([1...base + 5])
      let result = try recover(RecoverRequest(store: world.path, logs: world.logs))
      let mark = try #require(
        try world.source.read { try $0.transaction(result.export.to.transaction) }
      )
      #expect(mark.mark?.kind == .gap && mark.mark?.transaction == base + 5)
      #expect(try verified(world.logs).except == [])
      // Only snapshots are replayed.
      #expect(try verified(world.logs, replays: true).except == [])
      let inside = try world.source.read { try $0.point(base + 7) }
      let partly = try verified(world.logs, heads: [inside.digest])
      #expect(partly.except.map(\.kind) == [.gap] && partly.provenAfter == base + 5)
      let head = try world.source.read { try $0.historyRange().head }
      let whole = try verified(world.logs, heads: [head.digest])
      #expect(!whole.isUnproven && whole.provenAfter == nil)
    }
  }

  @Test("Details that are not written as a mark prove nothing, nor does a mark of a later state.")
  func details() {
    func mark(_ details: String?, _ operation: TransactionOperation = .mark) -> Mark? {
      Transaction(id: 9, time: "", operation: operation, schema: "", count: 0, details: details)
        .mark
    }
    let digest = SHA256.digest(of: [])
    let known = Mark(.snapshot, transaction: 8, digest: digest)
    #expect(mark("{\(known.member)}") == known)
    #expect(mark(#"{"first":1,"last":3,\#(known.member)}"#, .prune) == known)
    #expect(mark("{\(known.member)}", .recorded) == nil)
    #expect(mark(nil) == nil && mark("") == nil && mark("{}") == nil && mark("[1]") == nil)
    #expect(mark(#"{"snapshot":{"txn":8}}"#) == nil)
    #expect(mark(#"{"state":{"txn":8,"digest":"\#(digest)"}}"#) == nil)
    #expect(mark(#"{"snapshot":{"digest":"\#(digest)","txn":8}}"#) == nil)
    #expect(mark(#"{"snapshot":{"txn":9,"digest":"\#(digest)"}}"#) == nil)
  }

  @Test(
    "A snapshot that a transaction proves is compared with a replay only if that was requested."
  )
  func replays() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "replayed snapshots")
      for id in 1...3 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export { $0.wantsSnapshot = true }
      var request = VerifyRequest(logs: world.logs)
      for replays in [false, true] {
        request.replaysSnapshots = replays
        let result = try #require(verify(request).first)
        #expect(result.findings == [] && result.except == [])
        #expect(result.snapshots == 1 && result.snapshotObjects == 3)
        #expect(result.transactions == 4 && result.changes == 3 && result.files == 2)
        #expect(result.marked.map(\.isReplayed) == [replays])
        #expect(result.marked.map(\.by) == [4] && result.marked.map(\.isBase) == [false])
      }
    }
  }
}
