import Foundation
import Glibc
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Migrations that are killed", .serialized)
struct MigrationCrashTests {
  static let old = StoreSchema(
    version: "1",
    entities: [
      Entity(
        name: "Item",
        attributes: [
          Attribute(name: "title", type: .string),
          Attribute(name: "price", type: .int32, isOptional: true),
        ],
        relationships: [
          Relationship(name: "trip", destination: "Trip", isToMany: false, storage: .column("trip"))
        ],
        indexes: [["title"]]
      ),
      Entity(name: "Trip", attributes: [Attribute(name: "name", type: .string)]),
    ]
  )

  static let new: StoreSchema = {
    var schema = old
    schema.version = "2"
    schema.entities[0].attributes[0] =
      Attribute(name: "name", type: .string, originalName: "title")
    schema.entities[0].attributes[1] =
      Attribute(name: "price", type: .double, defaultValue: .real(9.5))
    schema.entities[0].attributes.append(
      Attribute(name: "stars", type: .int8, defaultValue: .integer(1))
    )
    schema.entities[0].uniques = [["name"]]
    schema.entities[0].indexes = []
    return schema
  }()

  static let rowCount: Int64 = 50_000

  static func makeStore(_ url: URL) throws {
    let store = try Store.open(.file(url), schema: old)
    try store.write(Author(name: "app")) { writer in
      try writer.insert(1, id: 1, values: [.text("Oslo")])
      for id in 1...rowCount {
        let price: Value = id % 3 == 0 ? .null : .integer(id)
        try writer.insert(0, id: id, values: [.text("item \(id)"), price, .integer(1)])
      }
    }
  }

  /// Expects a whole store in one of the two schemas; returns whether it is the new one.
  static func isNew(_ url: URL) throws -> Bool {
    let store = try Store.open(.file(url))
    #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
    #expect(try rows("PRAGMA foreign_key_check", in: store) == [])
    let count = try rows("SELECT count(*) FROM history_change", in: store)
    if store.schema == old {
      #expect(
        try rows("SELECT count(*), count(price), sum(price), min(title) FROM Item", in: store)
          == ["50000|33334|833366667|item 1"]
      )
      #expect(count == ["50001"])
      #expect(try transactions(of: store) == ["recorded|1|app|50001"])
      return false
    }
    #expect(store.schema == new)
    #expect(
      try rows("SELECT count(*), sum(price), sum(stars), min(name) FROM Item", in: store)
        == ["50000|833524994.0|50000|item 1"]
    )
    #expect(count == ["100001"])
    #expect(
      try transactions(of: store) == ["recorded|1|app|50001", "migration|2|m|50000"]
    )
    let fresh = try Store.open(.memory("fresh"), schema: new)
    #expect(try structure(of: store) == structure(of: fresh))
    return true
  }

  /// Kills this process after a delay.
  static func killSoon(microseconds: UInt32) {
    let killer = Thread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
    killer.start()
  }

  /// The delays after which a child is killed, spread over a little more than a migration takes.
  static func delays(_ duration: Duration, using generator: inout SeededGenerator) -> [UInt32] {
    let longest = UInt32(duration / .microseconds(1) * 1.4)
    return (0..<trials(3, long: 50)).map { _ in UInt32.random(in: 1000...longest, using: &generator)
    }
  }

  @Test("After a killed migration the store is whole, in the old schema or in the new one.")
  func direct() async throws {
    try await run { path, delay in
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, delay = delay as UInt32] in
        Self.killSoon(microseconds: delay)
        try Migration.migrate(URL(filePath: path), to: Self.new, author: Author(name: "m"))
        sleep(60)
      }
    }
  }

  @Test("After a killed staged migration the store is whole, in the old schema or in the new one.")
  func staged() async throws {
    try await run(slowness: 1.6) { path, delay in
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, delay = delay as UInt32] in
        Self.killSoon(microseconds: delay)
        let migration = try StagedMigration.begin(on: URL(filePath: path))
        try migration.migrate(to: Self.new, author: Author(name: "m"))
        try migration.commit()
        sleep(60)
      }
    }
  }

  /// Migrates copies of a store in child processes that are killed.
  ///
  /// `slowness` is the duration of this kind of migration relative to a plain one.
  func run(
    slowness: Double = 1,
    _ child: (_ path: String, _ delay: UInt32) async -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let original = folder.appendingPathComponent("original.store")
      try Self.makeStore(original)
      let url = folder.appendingPathComponent("test.store")
      func restore() throws {
        for suffix in ["", "-wal", "-shm"] {
          let path = url.path(percentEncoded: false) + suffix
          if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
          }
        }
        try FileManager.default.copyItem(at: original, to: url)
      }
      try restore()
      let duration = try ContinuousClock().measure {
        _ = try Migration.migrate(url, to: Self.new, author: Author(name: "m"))
      }
      #expect(try Self.isNew(url))
      var generator = SeededGenerator(for: "killed migrations")
      var newOnes = 0
      let delays = Self.delays(duration * slowness + .milliseconds(50), using: &generator)
      for delay in delays {
        try restore()
        await child(url.path(percentEncoded: false), delay)
        if try Self.isNew(url) { newOnes += 1 }
        // The store can still be migrated.
        try Migration.migrate(url, to: Self.new, author: Author(name: "m"))
        #expect(try Self.isNew(url))
      }
      print("a migration of \(duration), killed \(delays.count) times: \(newOnes) were finished")
    }
  }
}
