import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Migration of a store")
struct MigrationTests {
  static func schema(_ version: String, _ attributes: String...) -> StoreSchema {
    StoreSchema(
      version: version,
      entities: [
        Entity(
          name: "Trip",
          attributes: attributes.map {
            Attribute(name: $0, type: .string, defaultValue: .text("-"))
          }
        )
      ]
    )
  }

  @Test("A store that already has the schema is not changed.")
  func nothingToDo() throws {
    try withStoreFile(Self.schema("1", "a")) { url in
      #expect(try Migration.migrate(url, to: Self.schema("1", "a"), author: Author()) == nil)
      let store = try Store.open(.file(url))
      #expect(try transactions(of: store) == [])
    }
  }

  @Test("A migration to another version with the same tables is recorded.")
  func sameTables() throws {
    try withStoreFile(Self.schema("1", "a")) { url in
      let plan = try Migration.migrate(url, to: Self.schema("2", "a"), author: Author(name: "m"))
      #expect(plan?.isTrivial == true)
      #expect(try transactions(of: Store.open(.file(url))) == ["migration|2|m|0"])
    }
  }

  @Test("The catalog keeps every schema, and an earlier one can return under a new version.")
  func catalog() throws {
    try withStoreFile(
      Self.schema("1", "a"),
      fill: { try $0.insert(0, id: 1, values: [.text("x")]) }
    ) { url in
      _ = try migrate(url, to: Self.schema("2", "a", "b"))
      let store = try migrate(url, to: Self.schema("3", "a"))
      #expect(
        try rows("SELECT version FROM store_schema ORDER BY id", in: store) == ["1", "2", "3"]
      )
      #expect(try rows("SELECT * FROM Trip", in: store) == ["1|x"])
    }
  }

  @Test("A store that another program migrated first is not changed.")
  func tooLate() throws {
    try withStoreFile(Self.schema("1", "a")) { url in
      let plan = try MigrationPlan(from: Self.schema("1", "a"), to: Self.schema("2", "b"))
      let connection = try Connection(path: url.path(percentEncoded: false), mode: .readWrite)
      #expect(try Migration.apply(plan, on: connection, author: Author()))
      #expect(try !Migration.apply(plan, on: connection, author: Author()))
      try Migration.migrate(url, to: Self.schema("3", "c"), author: Author())
      #expect(
        try storeError { try Migration.apply(plan, on: connection, author: Author()) }.code
          == .changedMeanwhile
      )
    }
  }

  @Test("A migration inside a transaction is refused.")
  func insideTransaction() throws {
    try withStoreFile(Self.schema("1", "a")) { url in
      let plan = try MigrationPlan(from: Self.schema("1", "a"), to: Self.schema("2", "b"))
      let connection = try Connection(path: url.path(percentEncoded: false), mode: .readWrite)
      try connection.execute("BEGIN")
      #expect(
        try storeError { try Migration.apply(plan, on: connection, author: Author()) }.code
          == .misuse
      )
    }
  }

  @Test("Foreign keys are enforced again after a migration, whether it succeeded or not.")
  func foreignKeys() throws {
    try withStoreFile(Self.schema("1", "a")) { url in
      let connection = try Connection(path: url.path(percentEncoded: false), mode: .readWrite)
      let good = try MigrationPlan(from: Self.schema("1", "a"), to: Self.schema("2", "b"))
      let late = try MigrationPlan(from: Self.schema("1", "a"), to: Self.schema("2", "c"))
      try Migration.apply(good, on: connection, author: Author())
      for plan in [good, late] {
        // The second plan is refused; only the check after it matters.
        _ = try? Migration.apply(plan, on: connection, author: Author())
        let statement = try connection.prepare("PRAGMA foreign_keys")
        #expect(try statement.step() && statement.int64(at: 0) == 1)
        #expect(!connection.isInTransaction)
      }
    }
  }

  @Test("Views and indexes that other programs created do not stop a migration.")
  func foreignObjects() throws {
    try withStoreFile(
      Self.schema("1", "a"),
      fill: { try $0.insert(0, id: 1, values: [.text("x")]) }
    ) { url in
      let connection = try Connection(path: url.path(percentEncoded: false), mode: .readWrite)
      try connection.execute("CREATE VIEW mine AS SELECT a FROM Trip")
      try connection.execute("CREATE INDEX my_index ON Trip (a)")
      try Migration.migrate(url, to: Self.schema("2", "b"), author: Author())
      let store = try Store.open(.file(url), schema: Self.schema("2", "b"))
      #expect(try rows("SELECT * FROM Trip", in: store) == ["1|-"])
    }
  }

  @Test("The schema of a store file is read, and a file without one has none.")
  func schemaOfFile() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      #expect(try Migration.schema(of: url) == nil)
      try Data().write(to: url)
      #expect(try Migration.schema(of: url) == nil)
      try Store.open(.file(url), schema: Self.schema("1", "a")).write(Author()) { _ in }
      #expect(try Migration.schema(of: url) == Self.schema("1", "a"))
      try Data("something else, long enough to be read as a header".utf8).write(to: url)
      #expect(try storeError { _ = try Migration.schema(of: url) }.code == .notADatabase)
    }
  }

  @Test("A store of a newer version is refused by name when it is opened.")
  func newerStore() throws {
    try withStoreFile(Self.schema("1.10", "a", "b")) { url in
      let error = try storeError { _ = try Store.open(.file(url), schema: Self.schema("1.9", "a")) }
      #expect(error.code == .newerSchema)
      #expect(error.message.contains("version 1.10 of the schema"))
      #expect(error.message.contains("the model is version 1.9"))
      #expect(error.differences.count == 1)
    }
  }

  @Test("Attributes that swap their names are noticed when a store is opened.")
  func swapIsNoticed() throws {
    try withStoreFile(Self.schema("1", "a", "b")) { url in
      var schema = Self.schema("2", "a", "b")
      schema.entities[0].attributes[0].originalName = "b"
      schema.entities[0].attributes[1].originalName = "a"
      let error = try storeError { _ = try Store.open(.file(url), schema: schema) }
      #expect(error.code == .schemaMismatch)
      #expect(error.message.contains("rename Trip.b to a"))
    }
  }

  @Test("An empty file has no schema, even while another program locks it to create a store.")
  func lockedEmptyFile() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      let other = try Connection(path: url.path(percentEncoded: false), mode: .readWriteCreate)
      try other.execute("BEGIN EXCLUSIVE")
      // The file is empty until the transaction is committed.
      let options = Options(busyTimeout: .milliseconds(10))
      #expect(try Migration.schema(of: url, options: options) == nil)
      try other.execute("ROLLBACK")
    }
  }
}
