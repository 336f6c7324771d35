import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

@Suite("Migration of unique properties and indexes")
struct UniqueMigrationTests {
  static func schema(
    _ version: String,
    uniques: [[String]] = [],
    indexes: [[String]] = []
  ) -> StoreSchema {
    StoreSchema(
      version: version,
      entities: [
        Entity(
          name: "Trip",
          attributes: [
            Attribute(name: "name", type: .string),
            Attribute(name: "year", type: .int64, isOptional: true),
          ],
          uniques: uniques,
          indexes: indexes
        )
      ]
    )
  }

  static func fill(_ writer: Writer) throws {
    let values: [(String, Int64?)] = [
      ("Oslo", 1), ("Oslo", 2), ("Rome", 1), ("Oslo", nil), ("Rome", nil), ("Oslo", nil),
    ]
    for (index, value) in values.enumerated() {
      try writer.insert(
        0,
        id: Int64(index) + 1,
        values: [.text(value.0), value.1.map { .integer($0) } ?? .null]
      )
    }
  }

  @Test("An attribute with duplicate values can't become unique; the error has an example.")
  func duplicates() throws {
    try withStoreFile(Self.schema("1"), fill: Self.fill) { url in
      let error = try storeError {
        _ = try migrate(url, to: Self.schema("2", uniques: [["name"]]))
      }
      #expect(error.code == .duplicate)
      #expect(error.objects.map(\.id) == [1, 2, 4, 6])
      // Null values do not conflict.
      let store = try migrate(url, to: Self.schema("2", uniques: [["name", "year"]]))
      #expect(try rows("SELECT count(*) FROM Trip", in: store) == ["6"])
    }
  }

  @Test("Unique properties and indexes are added and removed without changing rows.")
  func indexes() throws {
    let schemas = [
      Self.schema("1"), Self.schema("2", uniques: [["name", "year"]], indexes: [["year"]]),
      Self.schema("3", indexes: [["name"], ["year", "name"]]), Self.schema("4"),
    ]
    try withStoreFile(schemas[0], fill: Self.fill) { url in
      for (old, new) in zip(schemas, schemas.dropFirst()) {
        #expect(try MigrationPlan(from: old, to: new).tables[0].way != .rebuilt)
        let store = try migrate(url, to: new)
        #expect(try rows("SELECT count(*) FROM Trip", in: store) == ["6"])
      }
    }
  }
}
