import Changes
import SQLite
import StoreTesting
import Testing

@testable import Store

@Suite("The rows of one table of another program")
struct AdoptedTableTests {
  /// A table of a program, as the store describes it.
  private func table(_ name: String, of program: AdoptedProgram) throws -> AdoptedTable {
    let layouts = try program.open().schema.layouts()
    let layout = try #require(layouts.first { $0.entity.name == name })
    return AdoptedTable(program.connection, layout: layout, layouts: layouts)
  }

  @Test("A column that SQLite computes is never written.")
  func generated() throws {
    let program = try AdoptedProgram(
      "CREATE TABLE calc(id INTEGER PRIMARY KEY, a, b AS (a + 1));"
    )
    let table = try table("calc", of: program)
    #expect((0..<3).map { table.isWritten(ColumnIndex($0)) } == [true, true, false])
    let name = RowName(ObjectID(1))
    try table.insert([.integer(1), .integer(5), .integer(0)], name: name)
    #expect(try table.find(name) == [.integer(1), .integer(5), .integer(6)])
    let row: [Value] = [.integer(1), .integer(7), .integer(0)]
    #expect(try !table.update([2], row: row, name: name))
    #expect(try table.find(name) == [.integer(1), .integer(5), .integer(6)])
    #expect(try table.update([1, 2], row: row, name: name))
    #expect(try table.find(name) == [.integer(1), .integer(7), .integer(8)])
    // The folder of the file exists as long as the program.
    withExtendedLifetime(program) {}
  }

  @Test("A change has the name of its row only if the row has no integer.")
  func names() throws {
    let program = try AdoptedProgram()
    let table = try table("tag", of: program)
    func change(_ name: RowName) throws -> String {
      var text = ChangeText()
      return try text.withChange(.insert, sequence: 3, table: table, name: name) { change in
        "\(change.sequence) \(change.object) \(String(decoding: change.name, as: UTF8.self))"
      }
    }
    #expect(try change(RowName(ObjectID(5))) == "3 5 ")
    let name = try #require(RowName(key: [.text("a")], rowid: nil))
    #expect(try change(name) == #"3 0 ["text:a"]"#)
  }
}
