import Format
import Testing

@testable import Store

@Suite("The rows that a captured transaction changed")
struct TouchedRowsTests {
  private let touched: TouchedRows

  init() throws { touched = try TouchedRows() }

  private func name(_ number: Int64) throws -> RowName {
    try #require(RowName(key: [.integer(number)], rowid: nil))
  }

  /// Notes a change of a row, with the same number for the captured rows before and after it.
  private func note(_ row: Int64, table: Int = 0, statement: Int64, number: Int64) throws {
    let reference = CapturedReference(id: number, isUpdate: true)
    try touched.note(
      try name(row),
      table: table,
      statement: statement,
      before: reference,
      after: reference
    )
  }

  /// Takes rows as their table, their name, and the ids of their first and last captured rows.
  private func take(before statement: Int64 = .max) throws -> [String] {
    var rows: [String] = []
    try touched.take(before: statement) { row in
      let ids = [row.first, row.last].map { $0.map { "\($0.id)" } ?? "none" }
      rows.append("\(row.table) \(row.name) \(ids[0]) \(ids[1])")
    }
    return rows
  }

  @Test("A row has its first and its last state, in the order of the first changes.")
  func states() throws {
    try note(7, statement: 1, number: 10)
    try note(7, table: 1, statement: 1, number: 11)
    try note(3, statement: 2, number: 12)
    try note(7, statement: 3, number: 13)
    #expect(try take() == ["0 7 10 13", "1 7 11 11", "0 3 12 12"])
    #expect(try take().isEmpty)
  }

  @Test("A row that did not exist has no first state, and a deleted row has no last state.")
  func missing() throws {
    let reference = CapturedReference(id: 5, isUpdate: false)
    try touched.note(name(1), table: 0, statement: 1, before: nil, after: reference)
    try touched.note(name(2), table: 0, statement: 1, before: reference, after: nil)
    #expect(try take() == ["0 1 none 5", "0 2 5 none"])
  }

  @Test("The rows of earlier statements can be taken without the rows of the present one.")
  func statements() throws {
    try note(1, statement: 1, number: 10)
    try note(2, statement: 2, number: 11)
    #expect(try touched.contains(name(1), table: 0, before: 2))
    #expect(try !touched.contains(name(2), table: 0, before: 2))
    #expect(try !touched.contains(name(1), table: 1, before: 2))
    #expect(try !touched.contains(name(3), table: 0, before: 2))
    #expect(try take(before: 2) == ["0 1 10 10"])
    #expect(try !touched.contains(name(1), table: 0, before: 2))
    #expect(try take() == ["0 2 11 11"])
  }
}
