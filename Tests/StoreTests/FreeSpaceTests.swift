import SQLite
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
}
