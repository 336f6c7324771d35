import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Stores that another process migrates")
struct SchemaCheckTests {
  /// Replaces the schema in the catalog, as the end of a migration does.
  static func replaceSchema(of url: URL, with schema: StoreSchema) throws {
    let connection = try Connection(
      path: url.path(percentEncoded: false),
      mode: .readWrite
    )
    let schemaID = try Catalog.add(schema, on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
  }

  @Test("Reading and writing a migrated store with the old model is refused.")
  func refused() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      let store = try Store.open(.file(url), schema: sampleSchema)
      var schema = sampleSchema
      schema.version = "2.0.0"
      schema.entities[trip].attributes.removeLast()
      try Self.replaceSchema(of: url, with: schema)
      #expect { try store.write(Author()) { _ in } } throws: {
        ($0 as? StoreError)?.code == .schemaMismatch
      }
      #expect { try store.read { _ in } } throws: { ($0 as? StoreError)?.code == .schemaMismatch }
    }
  }

  @Test("Another version with the same tables is accepted.")
  func sameTables() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      let store = try Store.open(.file(url), schema: sampleSchema)
      var schema = sampleSchema
      schema.version = "1.0.1"
      try Self.replaceSchema(of: url, with: schema)
      try store.write(Author()) { writer in
        try writer.insert(tag, id: 1, values: [.text("north")])
      }
      #expect(try rows("SELECT word FROM Tag", in: store) == ["north"])
      #expect(try rows("SELECT op FROM history_transaction", in: store) == ["recorded"])
    }
  }
}
