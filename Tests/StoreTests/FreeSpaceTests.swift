import Foundation
import SQLite
import TestSupport
import Testing

@testable import Changes
@testable import Store

@Suite("The record of deleted bytes")
struct FreeSpaceTests {
  private func withConnection(_ body: (Connection) throws -> Void) throws {
    let connection = try Connection(path: ":memory:", mode: .memory)
    try Catalog.create(sampleSchema, on: connection, provenance: .system)
    try ForeignCapture.of(sampleSchema).install(on: connection)
    try body(connection)
  }

  private func state(_ connection: Connection) throws -> String? {
    guard case .text(let text) = try Catalog.value("free_space", on: connection) else { return nil }
    return text
  }

  @Test("Values of deleted objects are not forgotten when values of other objects are noted.")
  func note() throws {
    try withConnection { connection in
      #expect(try !FreeSpace.hasErased(on: connection) && self.state(connection) == nil)
      try FreeSpace.note(.values, on: connection)
      #expect(try !FreeSpace.hasErased(on: connection) && self.state(connection) == "values")
      try FreeSpace.note(.erased, on: connection)
      #expect(try FreeSpace.hasErased(on: connection) && self.state(connection) == "erased")
      try FreeSpace.note(.values, on: connection)
      #expect(try FreeSpace.hasErased(on: connection) && self.state(connection) == "erased")
    }
  }

  @Test("Captured deletions leave erased values in the file, captured updates leave values.")
  func foreignChanges() throws {
    for (sql, isErased, expected) in [
      ("INSERT INTO Plan (id, _entity, title) VALUES (5, 'Plan', 't')", false, nil),
      ("UPDATE Plan SET title = 'u' WHERE id = 1", false, "values"),
      ("DELETE FROM Plan WHERE id = 1", true, "erased"),
      ("UPDATE Plan SET title = 'u' WHERE id = 1; DELETE FROM Plan WHERE id = 1", true, "erased"),
    ] as [(String, Bool, String?)] {
      try withForeignStore { store, connection in
        try connection.execute("INSERT INTO Plan (id, _entity, title) VALUES (1, 'Plan', 's')")
        try seal(store)
        #expect(try self.state(connection) == nil)
        try connection.execute(sql)
        let isNoted = try FreeSpace.noteForeignChanges(on: connection)
        #expect(isNoted == isErased, "\(sql)")
        #expect(try self.state(connection) == expected, "\(sql)")
      }
    }
  }

  @Test("A deletion matters only if free pages contain values.")
  func deletion() throws {
    try withConnection { connection in
      try FreeSpace.noteDeletion(on: connection)
      #expect(try self.state(connection) == nil)
      try FreeSpace.note(.values, on: connection)
      try FreeSpace.noteDeletion(on: connection)
      #expect(try self.state(connection) == "erased")
      try FreeSpace.noteDeletion(on: connection)
      #expect(try self.state(connection) == "erased")
    }
  }

  @Test("Only a VACUUM that is due removes the record.")
  func clear() throws {
    try withConnection { connection in
      try FreeSpace.clear(on: connection)
      try FreeSpace.note(.values, on: connection)
      try FreeSpace.clear(on: connection)
      #expect(try self.state(connection) == "values")
      try FreeSpace.note(.erased, on: connection)
      try FreeSpace.clear(on: connection)
      #expect(try self.state(connection) == nil)
      #expect(try !FreeSpace.hasErased(on: connection))
    }
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
