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

  @Test("The valid ids and numbers of changes begin with 0 and end before a power of two.")
  func limits() {
    #expect(HistoryRows.ids == 0..<4_611_686_018_427_387_904)
    #expect(HistoryRows.counts == 0..<1_099_511_627_776)
  }

  @Test("A transaction gets its digest at once if it has at most 1,000 changes.")
  func promptDigests() throws {
    try withStore(.memory) { store, _ in
      var next: Int64 = 1
      for (count, isMissing) in [(1_000, "0"), (1_001, "1"), (1, "0")] as [(Int64, String)] {
        try store.write(Author()) { writer in
          for id in next..<next + count { try writer.insert(tag, id: id, values: [.text("t")]) }
        }
        next += count
        let last = "SELECT digest IS NULL FROM history_transaction ORDER BY id DESC LIMIT 1"
        #expect(try rows(last, in: store) == [isMissing], "\(count)")
      }
      // The next transaction needs the digest of the one before it.
      let missing = "SELECT count(*) FROM history_transaction WHERE digest IS NULL"
      #expect(try rows(missing, in: store) == ["0"])
    }
  }

  @Test("A transaction has each text that its author gave, and no text that the author left out.")
  func texts() throws {
    try withStore(.memory) { store, _ in
      for given in 0..<Int64(16) {
        func text(_ name: String, _ bit: Int64) -> String? {
          given >> bit & 1 == 1 ? "\(name) \(given)" : nil
        }
        let author = Author(
          name: text("name", 0),
          reason: text("reason", 1),
          request: text("request", 2),
          bundle: text("bundle", 3)
        )
        try store.write(author) { try $0.insert(tag, id: given, values: [.text("t")]) }
        for details in [nil, "{}"] as [String?] {
          try store.inTransaction { _, connection in
            try connection.run(
              "UPDATE history_transaction SET details = ?2 WHERE id = ?1",
              values: [.integer(given + 1), details.map { .text($0) } ?? .null]
            )
          }
          let found = try #require(try store.read { try $0.transaction(given + 1) })
          #expect(found.author == author.name && found.reason == author.reason)
          #expect(found.request == author.request && found.bundle == author.bundle)
          #expect(found.details == details)
          #expect(found.process == author.process && found.count == 1)
          #expect(found.firstChange == given + 1)
        }
      }
    }
  }
}
