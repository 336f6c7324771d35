import SQLite
import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("The transactions before they are sealed")
struct UnsealedHistoryTests {
  private func unsealed(_ connection: Connection) throws -> UnsealedHistory? {
    try UnsealedHistory(
      of: connection,
      history: HistoryRows(connection),
      folder: nil,
      configure: nil,
      isLast: { _ in true }
    )
  }

  @Test("Captured rows that change nothing are not a transaction.")
  func head() throws {
    for (sql, head) in [
      ("UPDATE Tag SET word = word", nil), ("UPDATE Tag SET word = 'b'", 2),
    ] as [(String, Int64?)] {
      try withForeignStore { store, connection in
        try store.write(Author()) { try $0.insert(Kind.tag, id: 1, values: [.text("a")]) }
        try connection.execute(sql)
        let unsealed = try #require(try unsealed(connection))
        #expect(unsealed.sealed == 1)
        #expect(try unsealed.head()?.transaction == head, "\(sql)")
      }
    }
  }

  @Test("Without captured rows, nothing is unsealed, and the catalog is not read.")
  func nothingCaptured() throws {
    try withForeignStore { store, connection in
      try connection.execute("DELETE FROM store_catalog")
      #expect(try unsealed(connection) == nil)
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      #expect(try storeError { _ = try unsealed(connection) }.code == .damaged)
    }
  }
}
