import Testing

@testable import Changes

@Suite("Keys of rows and indexes of a schema")
struct RowKeyTests {
  @Test("Keys are ordered by entity and then by id, and an id is shown as its number.")
  func order() {
    let keys = [
      RowKey(entity: 0, id: ObjectID(.min)), RowKey(entity: 0, id: -1), RowKey(entity: 0, id: 10),
      RowKey(entity: 1, id: 2), RowKey(entity: 10, id: 1),
    ]
    #expect(keys.reversed().sorted() == keys)
    #expect(keys.map { "\($0.id)" } == ["-9223372036854775808", "-1", "10", "2", "1"])
    #expect(Set(keys + keys).count == keys.count)
  }

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
