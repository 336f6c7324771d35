import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("The catalog and the place of a store")
struct CatalogTests {
  @Test("Only the number 1 in the catalog makes a store a replica.")
  func replica() throws {
    let connection = try Connection(path: ":memory:", mode: .memory)
    try Catalog.create(sampleSchema, on: connection, provenance: .system)
    #expect(try !Catalog(on: connection).isReplica)
    let identifier = UUID().uuidString
    try ReplicaOrigin(identifier: identifier, lineage: 3).write(on: connection)
    let catalog = try Catalog(on: connection)
    #expect(catalog.isReplica)
    #expect(catalog.identifier == identifier && catalog.lineage == 3)
    for value in [.integer(0), .integer(2), .text("1")] as [Value] {
      try Catalog.set("replica", value: value, on: connection)
      #expect(try !Catalog(on: connection).isReplica, "\(value)")
    }
  }

  @Test("The path of a store has spaces, percent signs and letters as the user wrote them.")
  func path() {
    let path = "/a folder/50%25 ä/test.store"
    #expect(Location.file(URL(fileURLWithPath: path)).path == path)
    #expect(Location.memory("a b").path == "memory:a b")
  }
}
