import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Random migrations")
struct EvolutionTests {
  /// All rows of a store, by entity and id.
  static func rows(of store: Store) throws -> [String: [Int64: [String: Value]]] {
    try store.read { reader in
      var result: [String: [Int64: [String: Value]]] = [:]
      for layout in store.layouts {
        let name = layout.entity.name
        result[name] = [:]
        let list = (["\"id\""] + layout.columns.map(\.quoted)).joined(separator: ", ")
        let condition = layout.sharesTable ? " WHERE \"_entity\" = '\(name)'" : ""
        let statement = try reader.connection.prepare(
          "SELECT \(list) FROM \(layout.table)\(condition)"
        )
        while try statement.step() {
          var row: [String: Value] = [:]
          for (index, column) in layout.columns.enumerated() {
            row[column.property] = statement.value(at: Int32(index) + 1)
          }
          result[name]?[statement.int64(at: 0)] = row
        }
      }
      return result
    }
  }

  @Test(
    "After random migrations rows equal a naive model's, tables equal new ones, and ids are new."
  )
  func evolution() throws {
    var seeds = SeededGenerator(for: "evolution")
    for _ in 0..<trials(8, long: 1500) {
      let seed = seeds.next()
      var world = EvolvingSchema(SeededGenerator(seed: seed))
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("test.store")
        try world.fill(Store.open(.file(url), schema: world.schema))
        for _ in 0..<4 {
          let sequences = try Self.sequences(Store.open(.file(url)))
          world.evolve()
          let store = try migrate(url, to: world.schema)
          let found = try Self.rows(of: store)
          guard found == world.rows else {
            Issue.record("world \(seed), version \(world.version): \(found) \(world.rows)")
            return
          }
          for entity in store.schema.entities {
            let source = entity.originalName ?? entity.name
            let last = sequences[source] ?? sequences[entity.name] ?? 0
            let next = try store.write(Author()) { try $0.reserveIDs(entity.table, count: 1) }
            #expect(next > last)
          }
          try world.fill(store)
        }
      }
    }
  }

  /// The last id of each table.
  static func sequences(_ store: Store) throws -> [String: Int64] {
    try store.read { reader in
      let statement = try reader.connection.prepare("SELECT name, seq FROM sqlite_sequence")
      var result: [String: Int64] = [:]
      while try statement.step() { result[statement.string(at: 0)] = statement.int64(at: 1) }
      return result
    }
  }
}
