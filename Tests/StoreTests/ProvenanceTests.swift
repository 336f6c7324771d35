import Format
import Foundation
import Store
import StoreTesting
import Synchronization
import TestSupport
import Testing

@Suite("Provenance of stores and transactions")
struct ProvenanceTests {
  /// Counts the transactions, and derives everything from their number.
  private final class Counter: Sendable {
    private let count = Mutex(0)

    var provenance: Provenance {
      Provenance(
        birth: {
          .init(
            identifier: "45CEAB7E-97C2-44B8-BEC8-8E33FD0553A6",
            time: "2024-01-01T00:00:00.000000Z"
          )
        },
        stamp: { [self] author, _ in
          let number = count.withLock { count in
            count += 1
            return count
          }
          return Provenance.Stamp(
            time: "2024-01-02T00:00:00.00000\(number)Z",
            process: "program of \(author.name ?? "nobody")",
            processID: Int64(100 + number),
            host: "fjord",
            seed: Seed(random: Array(repeating: UInt8(number), count: 16))
          )
        }
      )
    }
  }

  private let columns = "id, time, process, process_id, host, hex(seed)"

  @Test("A store's identifier and its transactions' times and salts come from its options.")
  func given() throws {
    var options = Options()
    options.provenance = Counter().provenance
    let store = try Store.open(.memory("test"), schema: sampleSchema, options: options)
    #expect(store.identifier == "45CEAB7E-97C2-44B8-BEC8-8E33FD0553A6")
    try store.write(Author(name: "app")) { try $0.insert(tag, id: 1, values: [.text("sea")]) }
    try store.write(Author(name: "app")) { _ in }
    try store.write(Author()) { try $0.insert(tag, id: 2, values: [.text("snow")]) }
    #expect(
      try rows("SELECT \(columns) FROM history_transaction", in: store) == [
        "1|2024-01-02T00:00:00.000001Z|program of app|101|fjord|"
          + String(repeating: "01", count: 16),
        "2|2024-01-02T00:00:00.000002Z|program of nobody|102|fjord|"
          + String(repeating: "02", count: 16),
      ]
    )
    #expect(
      try rows("SELECT value FROM store_catalog WHERE key = 'created'", in: store)
        == ["2024-01-01T00:00:00.000000Z"]
    )
  }

  @Test("Migrations use the same source of times and salts.")
  func migration() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      var options = Options()
      options.provenance = Counter().provenance
      try Store.open(.file(url), schema: sampleSchema, options: options)
        .write(Author()) { try $0.insert(tag, id: 1, values: [.text("sea")]) }
      var entities = sampleSchema.entities
      entities[tag].attributes.append(Attribute(name: "color", type: .string, isOptional: true))
      let wanted = StoreSchema(version: "2.0.0", entities: entities)
      try Migration.migrate(url, to: wanted, author: Author(name: "app"), options: options)
      let store = try Store.open(.file(url), schema: wanted)
      #expect(
        try rows("SELECT op, \(columns) FROM history_transaction WHERE id = 2", in: store) == [
          "migration|2|2024-01-02T00:00:00.000002Z|program of app|102|fjord|"
        ]
      )
    }
  }

  @Test("An author, a reason and a request are recorded with a transaction, unless they are empty.")
  func reasons() throws {
    let store = try Store.open(.memory("test"), schema: sampleSchema)
    let long = String(repeating: "é\n", count: 1 << 19)
    for (id, reason, request) in [(1, "ticket 7", nil), (2, "", "\u{0}\"r"), (3, long, long)] {
      try store.write(Author(name: request, reason: reason, request: request)) {
        try $0.insert(tag, id: Int64(id), values: [.text("\(id)")])
      }
    }
    let nothing = Author(name: "", reason: "", request: "")
    try store.write(nothing) { try $0.insert(tag, id: 4, values: [.text("4")]) }
    let found = try store.read { reader in try (1...4).map { try reader.transaction($0) } }
    #expect(found.map { $0?.reason } == ["ticket 7", nil, long, nil])
    #expect(found.map { $0?.request } == [nil, "\u{0}\"r", long, nil])
    #expect(found.map { $0?.author } == [nil, "\u{0}\"r", long, nil])
    #expect(found.allSatisfy { $0?.details == nil })
    try store.check { Issue.record("\($0)") }
  }

  @Test("Two stores made in the ordinary way have other identifiers and seeds.")
  func system() throws {
    let stores = try (0..<2).map { _ in try Store.open(.memory("test"), schema: sampleSchema) }
    for store in stores {
      try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text("sea")]) }
      try store.write(Author()) { try $0.insert(tag, id: 2, values: [.text("snow")]) }
    }
    let seeds = try stores.flatMap {
      try rows("SELECT hex(seed) FROM history_transaction", in: $0)
    }
    #expect(Set(seeds).count == 4)
    #expect(seeds.allSatisfy { $0.count == 32 })
    #expect(stores[0].identifier != stores[1].identifier)
  }
}
