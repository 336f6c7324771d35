import Testing

@testable import Format

@Suite("Indexes of a schema")
struct SchemaIndexTests {
  @Test("An index reads and changes one element of any array in the order of the parts.")
  func subscripts() {
    var values = [[1], [2], [3]]
    let column: ColumnIndex = 1
    values[column].append(4)
    values[column][0] = 5
    #expect(values == [[1], [5, 4], [3]])
    let long: [ColumnIndex] = values.indexes { $0.count > 1 }
    #expect(long == [column])
  }
}
