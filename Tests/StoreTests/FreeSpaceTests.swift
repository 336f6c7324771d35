import Foundation
import SQLite
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("The record of deleted bytes")
struct FreeSpaceTests {
  private func state(_ connection: Connection) throws -> String? {
    guard case .text(let text) = try Catalog.value("free_space", on: connection) else { return nil }
    return text
  }

  @Test("A VACUUM that failed for another reason than a lock is due again after the next deletion.")
  func failedVacuum() throws {
    try withTemporaryFolder { folder in
      let store = try Store.open(
        .file(folder.appendingPathComponent("test.store")),
        schema: sampleSchema,
        options: Options(historyMode: .tombstones)
      )
      let connection = try #require(store.writerConnection)
      try store.save { world in
        for id in 1...3 as ClosedRange<Int64> { try world.tag(id).insert(word: "word") }
      }
      try store.inTransaction { try FreeSpace.note(.values, on: $1) }
      // SQLite refuses a VACUUM while a statement of the connection is not finished.
      let unfinished = try connection.prepare("SELECT id FROM Tag")
      #expect(try unfinished.step())
      try store.save { try $0.tag(1).delete() }
      #expect(try self.state(connection) == "erased")
      unfinished.reset()
      try store.save { try $0.tag(4).insert(word: "word") }
      #expect(try self.state(connection) == "erased")
      try store.save { try $0.tag(2).delete() }
      #expect(try self.state(connection) == nil)
    }
  }
}
