import Foundation
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Plans for sets of columns")
struct ColumnPlansTests {
  @Test("A hundred thousand sets that are used once are counted in bounded memory.")
  func counted() {
    var plans = ColumnPlans<Int>()
    var made = 0
    for set in 0..<100_000 {
      let plan = plans.plan(for: [ColumnIndex(set)]) {
        made += 1
        return set
      }
      #expect(plan == (set < 64 ? set : nil))
    }
    #expect(made == 64)
  }

  @Test("Any set of nine attributes is updated and replayed.")
  func everySet() throws {
    try expectUpdates(
      attributes: 9,
      (1..<(1 << 9)).map { set in (0..<9).filter { set >> $0 & 1 == 1 } }
    )
  }

  @Test("The widest possible table is updated and replayed with any sets of columns.")
  func widest() throws {
    try expectUpdates(attributes: 989, (0..<67).map { [$0, $0 * 3 + 2, 988] })
  }

  /// Updates a row with each set of columns, and replays its history.
  private func expectUpdates(attributes: Int, _ sets: [[Int]]) throws {
    let names = (0..<attributes).map { "a\($0)" }
    let schema = StoreSchema(
      version: "1.0.0",
      entities: [
        Entity(
          name: "Row",
          attributes: names.enumerated().map {
            Attribute(name: $1, type: $0 % 2 == 0 ? .int64 : .string)
          }
        )
      ]
    )
    func shown(_ value: Value) -> String {
      switch value {
      case .integer(let integer): "\(integer)"
      case .text(let text): text
      default: "?"
      }
    }
    func value(_ column: Int, _ number: Int) -> Value {
      column % 2 == 0 ? .integer(Int64(number)) : .text("n\(number)")
    }
    try withTemporaryFolder { folder in
      let store = try Store.open(.file(folder.appendingPathComponent("a.store")), schema: schema)
      var row = names.indices.map { value($0, 0) }
      try store.write(Author()) { try $0.insert(0, id: 1, values: row) }
      for (number, columns) in sets.enumerated() {
        for column in columns { row[column] = value(column, number + 1) }
        try store.write(Author()) { writer in
          let indexes = columns.map { ColumnIndex($0) }
          try writer.update(0, id: 1, columns: indexes, values: columns.map { row[$0] })
        }
      }
      let copy = try Store.open(
        .file(folder.appendingPathComponent("b.store")),
        schema: schema,
        options: Options(
          origin: ReplicaOrigin(identifier: store.identifier, lineage: store.lineage)
        )
      )
      try copyHistory(of: store, into: copy)
      for store in [store, copy] {
        let found = try rows("SELECT \(names.joined(separator: ", ")) FROM Row", in: store)
        #expect(found == [row.map(shown).joined(separator: "|")])
        #expect(try findings(store).isEmpty)
      }
    }
  }
}
