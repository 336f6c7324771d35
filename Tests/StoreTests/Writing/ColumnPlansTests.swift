import Foundation
import StoreTesting
import Testing

@testable import Store

@Suite("Plans for sets of columns")
struct ColumnPlansTests {
  @Test("each set has its own plan, made once while there is room for all")
  func plans() {
    var plans = ColumnPlans<Int>()
    var made = 0
    func expect(_ sets: Range<Int>) {
      for set in sets {
        let plan = plans.plan(for: [set, 7]) {
          made += 1
          return set
        }
        #expect(plan == set)
      }
    }
    for _ in 0..<3 { expect(0..<200) }
    #expect(made == 200)
    // More than there is room for: some are made again.
    for _ in 0..<3 { expect(0..<1000) }
    #expect(made > 1000)
  }

  @Test("any set of attributes is updated and replayed, also where there are many of them")
  func everySet() throws {
    let names = (0..<9).map { "a\($0)" }
    let schema = StoreSchema(
      version: "1.0.0",
      entities: [
        Entity(name: "Row", attributes: names.map { Attribute(name: $0, type: .int64) })
      ]
    )
    try withTemporaryFolder { folder in
      let store = try Store.open(.file(folder.appendingPathComponent("a.store")), schema: schema)
      var row = [Int64](repeating: 0, count: names.count)
      try store.write(Author()) { writer in
        try writer.insert(0, id: 1, values: row.map { .integer($0) })
      }
      for set in 1..<(1 << names.count) {
        let columns = names.indices.filter { set >> $0 & 1 == 1 }
        for column in columns { row[column] = Int64(set) }
        try store.write(Author()) { writer in
          try writer.update(0, id: 1, columns: columns, values: columns.map { .integer(row[$0]) })
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
        #expect(found == [row.map(String.init).joined(separator: "|")])
      }
    }
  }
}
