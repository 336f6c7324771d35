import Format
import Foundation
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

let sampleSchema = tripSchema

/// The indexes of the sample's entities, which are sorted by name.
let item: EntityIndex = 0
let person: EntityIndex = 1
let tag: EntityIndex = 2
let trip: EntityIndex = 3

func tripValues(_ name: String, leader: Int64? = nil) -> [Value] {
  [.text(name), .real(0), .null, leader.map { .integer($0) } ?? .null]
}

func itemValues(_ title: String, trip: Int64?) -> [Value] {
  [.text(title), trip.map { .integer($0) } ?? .null]
}

/// Where the store of a test is.
enum Place: CaseIterable, Sendable {
  case memory, file
}

/// Calls `body` with a new store and a function that opens it again; in memory both are the same.
func withStore(
  _ place: Place,
  schema: StoreSchema = sampleSchema,
  _ body: (Store, () throws -> Store) throws -> Void
) throws {
  switch place {
  case .memory:
    let store = try Store.open(.memory("test"), schema: schema)
    try body(store) { store }
  case .file:
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      let store = try Store.open(.file(url), schema: schema)
      try body(store) { try Store.open(.file(url), schema: schema) }
    }
  }
}

func names(of entity: String, in store: Store) throws -> [String] {
  try rows("SELECT name FROM \(entity) ORDER BY id", in: store)
}

/// One change in history.
struct RecordedChange: Equatable {
  var transaction: Int64
  var text: String
}

/// The changes of a store: kind, entity, object, changed properties, before, after, special.
func history(of store: Store) throws -> [RecordedChange] {
  try store.read { reader in
    let statement = try reader.connection.prepare(
      """
      SELECT transaction_id, kind || ' ' || entity || ' ' || object
          || coalesce(' ' || changed, '') || coalesce(' ' || before, '')
          || coalesce(' ' || after, '') || coalesce(' special ' || special, '')
        FROM history_change ORDER BY id
      """
    )
    var result: [RecordedChange] = []
    while try statement.step() {
      result.append(
        RecordedChange(transaction: statement.int64(at: 0), text: statement.string(at: 1))
      )
    }
    return result
  }
}

/// The changes of the last transaction.
func lastChanges(of store: Store) throws -> [String] {
  let all = try history(of: store)
  return all.filter { $0.transaction == all.last?.transaction }.map(\.text)
}
