import Changes
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

/// Where a store of a test is kept.
enum Place: CaseIterable, Sendable {
  case memory, file
}

/// Calls with a new store and a way to open it again; for one in memory that is the same store.
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

/// One change as history has it.
struct RecordedChange: Equatable {
  var transaction: Int64
  var text: String
}

/// The changes of a store: kind, entity, object, what changed, before, after, special.
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
