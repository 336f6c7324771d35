import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("The rows that a transaction of an adopted file touched")
struct TouchedRowsTests {
  private func name(_ text: String) throws -> RowName {
    try #require(RowName(key: [.text(text)], rowid: nil))
  }

  private func taken(_ rows: TouchedRows) throws -> [String] {
    var result: [String] = []
    try rows.take { row in
      let states = [row.first, row.last].map { $0.map(String.init) ?? "none" }
      let name = String(decoding: row.name.bytes, as: UTF8.self)
      result.append("\(row.table) \(name) \(states.joined(separator: " to "))")
    }
    return result
  }

  @Test("A row has its first and its last state, and rows have the order of their first events.")
  func states() throws {
    let rows = try TouchedRows()
    let (one, two) = try (name("one"), name("two"))
    try rows.note(two, table: 0, before: 1, after: 2)
    try rows.note(one, table: 0, before: nil, after: 3)
    try rows.note(one, table: 1, before: 4, after: nil)
    try rows.note(one, table: 0, before: 3, after: 5)
    try rows.note(two, table: 0, before: 2, after: nil)
    #expect(
      try taken(rows) == [
        #"0 ["text:two"] 1 to none"#, #"0 ["text:one"] none to 5"#, #"1 ["text:one"] 4 to none"#,
      ]
    )
    #expect(try taken(rows) == [])
    try rows.note(one, table: 0, before: 6, after: 7)
    #expect(try taken(rows) == [#"0 ["text:one"] 6 to 7"#])
  }

  @Test("A captured row that was replaced is known by its table and its number.")
  func replaced() throws {
    let rows = try TouchedRows()
    try rows.noteReplaced(3, table: 1)
    for table in 0..<4 {
      for row in 0..<5 as Range<Int64> {
        #expect(try rows.isReplaced(row, table: table) == (table == 1 && row == 3))
      }
    }
  }

  @Test("A moved update is found by the event that it was before, each in its table.")
  func moves() throws {
    let rows = try TouchedRows()
    #expect(try rows.update(movedBefore: 3, table: 1) == nil)
    #expect(try !rows.isMoved(3, table: 1))
    try rows.noteMove(5, before: 3, table: 1)
    try rows.noteMove(9, before: 3, table: 2)
    try rows.noteMove(1, before: 2, table: 2)
    let moves: [Int: [Int64: Int64]] = [1: [3: 5], 2: [3: 9, 2: 1]]
    // Each order of the tables: a statement keeps the parameters of its last use.
    for tables in [[0, 1, 2, 3], [3, 2, 1, 0]] {
      for row in 0..<10 as Range<Int64> {
        for table in tables {
          let known = moves[table] ?? [:]
          #expect(try rows.update(movedBefore: row, table: table) == known[row])
          #expect(try rows.isMoved(row, table: table) == known.values.contains(row))
        }
      }
    }
  }
}
