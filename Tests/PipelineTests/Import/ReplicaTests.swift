import ChangeLog
import Format
import Foundation
import PipelineTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Replicas")
struct ReplicaTests {
  /// Calls `body` with a request for a replica, the path of its first log, and its schema.
  private func withRequest(_ body: (ImportRequest, String, StoreSchema) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "replicas")
      try world.write(8)
      let log = try #require(try world.export().files.first)
      let request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      try body(request, log, world.source.schema)
    }
  }

  private func journalMode(_ path: String) throws -> String {
    let connection = try Connection(path: path, mode: .readOnly)
    let statement = try connection.prepare("PRAGMA journal_mode")
    _ = try statement.step()
    return statement.string(at: 0)
  }

  @Test(
    "Transactions are written without a write-ahead log only if the schema and the file allow it."
  )
  func directWriting() throws {
    try withRequest { request, log, schema in
      let replica = try Replica(request)
      #expect(try replica.writesDirectly { schema })
      try replica.replay(LogReader(path: log).header, isDirect: false) { _ in }
      var other = schema
      other.version = "2.0.0"
      #expect(try !replica.writesDirectly { other })
      #expect(try journalMode(request.store) == "wal")
      do {
        let reader = try Connection(path: request.store, mode: .readOnly)
        _ = try reader.integer("SELECT count(*) FROM sqlite_schema")
        #expect(try !replica.writesDirectly { schema })
      }
      #expect(try replica.writesDirectly { schema })
      #expect(try journalMode(request.store) != "wal")
      #expect(try replica.finish().danglingLinks == 0)
      #expect(try journalMode(request.store) == "wal")
    }
  }

  @Test("An import counts the dangling links of the replica, and a dry run does not.")
  func danglingLinks() throws {
    try withRequest { request, _, _ in
      _ = try importLogs(request)
      try runSQL("INSERT INTO Guest_seen VALUES (1000, 1001)", on: request.store)
      #expect(try Replica(request).finish().danglingLinks > 0)
      var plan = request
      plan.isDryRun = true
      #expect(try Replica(plan).finish().danglingLinks == 0)
    }
  }

  @Test("An import continues after the first transaction that another one applied meanwhile.")
  func meanwhile() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "meanwhile")
      try world.write(4)
      try world.export()
      let request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      var (first, second) = (request, request)
      (first.until, second.until) = (.transaction(1), .transaction(2))
      var isAlone = true
      // The second import verifies the log before it creates the replica.
      let result = try importLogs(second) { _ in
        guard isAlone else { return }
        isAlone = false
        _ = try importLogs(first)
      }
      #expect(!isAlone && result.from.transaction == 1 && result.to.transaction == 2)
    }
  }
}
