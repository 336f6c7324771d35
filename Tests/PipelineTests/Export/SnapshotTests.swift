import ChangeLog
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Snapshots, and comparing logs with a store")
struct SnapshotTests {
  private func open(_ path: String) throws -> Store {
    try Store.open(.file(URL(fileURLWithPath: path)), options: Options(isReadOnly: true))
  }

  @Test("A store without transactions has no snapshot.")
  func noTransactions() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "no transactions")
      let result = try world.export { $0.wantsSnapshot = true }
      #expect(result.to.transaction == 0)
      #expect(result.snapshot == nil)
      #expect(try world.logs.snapshots(of: world.source.identifier, lineage: 0).isEmpty)
    }
  }

  @Test(
    "A replica from a snapshot has the state of the store, and follows its history.",
    arguments: 1...3
  )
  func snapshot(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "snapshot \(round)")
      try world.write(15)
      let state = try world.source.read { try $0.historyRange().head }
      let first = try world.export { $0.wantsSnapshot = true }
      #expect(first.snapshot?.hasSuffix(".ndjson.gz") == true)
      #expect(try world.export { $0.wantsSnapshot = true }.snapshot == first.snapshot)
      try world.write(10)
      try world.export()
      let verified = try #require(try verify(VerifyRequest(logs: world.logs)).first)
      #expect(verified.snapshots == 1)
      #expect(verified.transactions == verified.to.transaction)
      #expect(
        verified.changes
          == (try world.lines().split(separator: "\n").count { $0.hasPrefix(#"{"kind":"change""#) })
      )
      var request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      request.fromSnapshot = true
      let result = try importLogs(request)
      #expect(result.snapshotObjects > 0)
      #expect(verified.snapshotObjects == result.snapshotObjects)
      #expect(result.from == state)
      #expect(try rowDump(of: open(request.store)) == rowDump(of: world.source))
      let after = try open(request.store).read { try $0.historyRange() }
      #expect(after.oldest == state.transaction + 1)
      #expect(after.head == (try world.source.read { try $0.historyRange().head }))
      try world.write(5)
      try world.export()
      _ = try importLogs(request)
      #expect(try rowDump(of: open(request.store)) == rowDump(of: world.source))
    }
  }

  @Test("If history is incomplete, the first export starts with a snapshot.")
  func incompleteHistory() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "incomplete history")
      try world.write(20)
      try world.source.deleteHistory([1...5])
      let early = #expect(throws: PipelineError.self) {
        try world.export { $0.until = .transaction(10) }
      }
      #expect(early?.code == .historyExpired)
      let first = try world.export()
      #expect(first.snapshot != nil)
      #expect(first.transactions == 1)
      try world.write(10)
      try world.export()
      let results = try verify(VerifyRequest(logs: world.logs))
      #expect(results.map(\.findings) == [[]])
      #expect(results.map(\.from) == [first.from])
      let request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      _ = try importLogs(request)
      #expect(try rowDump(of: open(request.store)) == rowDump(of: world.source))
      // A token that was lost before the next export is rebuilt from only the snapshot.
      let logs = LogFolder(folder.path + "/second")
      try logs.create()
      try startLogs(of: world.path, in: logs)
      try FileManager.default.removeItem(atPath: logs.token(of: world.source.identifier))
      try world.write(3)
      _ = try Pipeline.export(ExportRequest(store: world.path, logs: logs))
      #expect(try verify(VerifyRequest(logs: logs)).map(\.findings) == [[]])
    }
  }

  @Test("An altered snapshot is found, and not applied.")
  func damage() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "snapshot damage")
      try world.write(15)
      let path = try #require(try world.export { $0.wantsSnapshot = true }.snapshot)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      bytes[bytes.count / 2] ^= 8
      try bytes.write(to: URL(fileURLWithPath: path))
      #expect(try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings).count == 1)
      var request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      request.fromSnapshot = true
      #expect(throws: LogError.self) { try importLogs(request) }
      #expect(!FileManager.default.fileExists(atPath: request.store))
    }
  }

  @Test("Verify compares the replayed logs with the store, and lists the differences.")
  func against() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "against")
      try world.write(25)
      try world.export()
      var request = VerifyRequest(logs: world.logs)
      request.against = world.path
      let sound = try verify(request)
      #expect(sound.map(\.findings) == [[]])
      #expect(sound.map(\.end) == [.store] && sound.map(\.notices) == [[]])
      try world.write(5)
      let behind = try verify(request)
      #expect(behind.map(\.findings) == [[]])
      // The store has later transactions, so it can't prove that no log is missing.
      #expect(behind.map(\.end) == [.token])
      #expect(behind.map(\.unexported) == [5] && behind.map(\.notices) == [[]])
      // Changes the rows without triggers, so nothing is captured.
      let triggers = try rows(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger'",
        in: world.source
      )
      #expect(!triggers.isEmpty)
      let id = try rows("SELECT max(id) FROM Place", in: world.source)[0]
      for name in triggers { try runSQL("DROP TRIGGER \"\(name)\"", on: world.path) }
      try runSQL("UPDATE Place SET rating = 77.5 WHERE id = \(id)", on: world.path)
      let findings = try verify(request).flatMap(\.findings)
      #expect(findings.map(\.kind) == [.differs])
      #expect(findings.first?.message.contains(" \(id) ") == true)
      // Such a store can't prove that the logs are complete.
      try world.export()
      let differing = try verify(request)
      #expect(differing.flatMap(\.findings).map(\.kind) == [.differs])
      #expect(differing.map(\.end) == [.token])
    }
  }
}
