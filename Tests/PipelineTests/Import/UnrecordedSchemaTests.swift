import ChangeLog
import Format
import Foundation
import Pipeline
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Schemas without transactions")
struct UnrecordedSchemaTests {
  private func schema(
    _ version: String,
    _ attributes: [(name: String, originalName: String?)]
  ) -> StoreSchema {
    let attributes = attributes.map {
      Attribute(name: $0.name, type: .string, isOptional: true, originalName: $0.originalName)
    }
    return StoreSchema(version: version, entities: [Entity(name: "E", attributes: attributes)])
  }

  @Test("A replica follows the names through a schema under which no transaction was recorded.")
  func renaming() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      let logs = LogFolder(folder.path + "/logs")
      try logs.create()
      let one = schema("1", [("a", nil), ("b", nil)])
      try Store.open(.file(url), schema: one).write(Author()) {
        try $0.insert(0, id: 1, values: [.text("of a"), .text("of b")])
      }
      _ = try export(ExportRequest(store: url.path, logs: logs))
      // The tables stay as they are. Afterwards, a is known to have been renamed from b earlier.
      let two = schema("2", [("a", "b"), ("b", nil)])
      _ = try Store.open(.file(url), schema: two)
      try Migration.migrate(url, to: schema("3", [("a", "b")]), author: Author())
      let store = try Store.open(.file(url))
      #expect(try rowDump(of: store).contains { $0.contains("of a") })
      _ = try export(ExportRequest(store: url.path, logs: logs))
      var request = VerifyRequest(logs: logs)
      request.against = url.path
      #expect(try verify(request).map(\.findings) == [[]])
      let replica = ImportRequest(logs: logs, store: folder.path + "/replica.store")
      _ = try importLogs(replica)
      let copy = try Store.open(.file(URL(fileURLWithPath: replica.store)))
      #expect(try rowDump(of: copy) == rowDump(of: store))
      try store.check { Issue.record("\($0)") }
    }
  }

  @Test("A migration of a store without transactions records one transaction.")
  func withoutTransactions() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      _ = try Store.open(.file(url), schema: schema("1", [("a", nil)]))
      try Migration.migrate(url, to: schema("2", [("c", "a")]), author: Author())
      #expect(try Store.open(.file(url)).read { try $0.historyRange().head.transaction } == 1)
    }
  }
}
