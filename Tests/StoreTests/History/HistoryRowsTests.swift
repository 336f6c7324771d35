import SQLite
import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("The rows of history")
struct HistoryRowsTests {
  @Test("A new store has lineage 0.")
  func lineage() throws {
    try withStore(.memory) { store, _ in
      #expect(store.lineage == 0)
      let found = try rows("SELECT value FROM store_catalog WHERE key = 'lineage'", in: store)
      #expect(found == ["0"])
      let head = try store.read { try $0.historyRange().head }
      #expect(head.lineage == 0)
    }
  }
}
