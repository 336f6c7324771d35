import Testing

@testable import Format
@testable import Store

@Suite("Merging the rows of two states")
struct RowMergeTests {
  private struct Found: Equatable {
    var id: Int64
    var place: RowMerge.Place
    var before: [Value]?
    var after: [Value]?
  }

  /// Calls `body` with a reader of a store whose tables have the rows of several states.
  private func withStates(_ sql: [String], _ body: (Reader) throws -> Void) throws {
    let store = try Store.open(.memory("merge"), schema: sampleSchema)
    try store.write(Author()) { writer in
      for statement in sql { try writer.connection.execute(statement) }
    }
    try store.read(body)
  }

  private func source(_ columns: [String], keys: Int32, state: Int) -> ComparedRows.Source {
    ComparedRows.Source("states", columns: columns, keys: Int(keys), condition: "state = \(state)")
  }

  private func differences(
    _ reader: Reader,
    _ left: ComparedRows.Source,
    _ right: ComparedRows.Source,
    keys: Int32,
    ids: ClosedRange<Int64>
  ) throws -> [Found] {
    let part = ComparedRows.Part(left: left, right: right, keys: keys, columns: 2)
    let merge = try RowMerge(part, left: reader, right: reader)
    try merge.begin(ids)
    var result: [Found] = []
    while let place = try merge.next() {
      let pair = merge.pair()
      result.append(Found(id: merge.id, place: place, before: pair.before, after: pair.after))
    }
    return result
  }

  @Test("For any two states of three objects, the differences are those of a naive comparison.")
  func objects() throws {
    let values: [String?] = [nil, "a", "b"]
    let states = (0..<27).map { code in [1, 3, 9].map { values[code / $0 % 3] } }
    var sql = ["CREATE TABLE states (state INTEGER, id INTEGER, value TEXT)"]
    for (number, state) in states.enumerated() {
      for case (let index, let value?) in state.enumerated() {
        sql.append("INSERT INTO states VALUES (\(number), \(index + 1), '\(value)')")
      }
    }
    try withStates(sql) { reader in
      for (first, left) in states.enumerated() {
        for (second, right) in states.enumerated() {
          let ids: ClosedRange<Int64> = (first + second) % 2 == 0 ? 1...3 : 2...2
          var expected: [Found] = []
          for id in ids {
            let (old, new) = (left[Int(id) - 1], right[Int(id) - 1])
            guard old != new else { continue }
            expected.append(
              Found(
                id: id,
                place: old == nil ? .right : new == nil ? .left : .both,
                before: old.map { [.integer(id), .text($0)] },
                after: new.map { [.integer(id), .text($0)] }
              )
            )
          }
          let found = try differences(
            reader,
            source(["id", "value"], keys: 1, state: first),
            source(["id", "value"], keys: 1, state: second),
            keys: 1,
            ids: ids
          )
          #expect(found == expected, "\(left) and \(right)")
        }
      }
    }
  }

  @Test("For any two states of links, the differences are the links that only one of them has.")
  func links() throws {
    let all: [[Int64]] = [[1, 1], [1, 2], [2, 1]]
    var sql = ["CREATE TABLE states (state INTEGER, source INTEGER, target INTEGER)"]
    for state in 0..<8 {
      for (index, link) in all.enumerated() where state >> index & 1 == 1 {
        sql.append("INSERT INTO states VALUES (\(state), \(link[0]), \(link[1]))")
      }
    }
    try withStates(sql) { reader in
      for left in 0..<8 {
        for right in 0..<8 {
          let expected = all.enumerated().compactMap { index, link -> Found? in
            let (isLeft, isRight) = (left >> index & 1 == 1, right >> index & 1 == 1)
            guard isLeft != isRight else { return nil }
            let values = link.map { Value.integer($0) }
            return Found(
              id: link[0],
              place: isLeft ? .left : .right,
              before: isLeft ? values : nil,
              after: isRight ? values : nil
            )
          }
          let found = try differences(
            reader,
            source(["source", "target"], keys: 2, state: left),
            source(["source", "target"], keys: 2, state: right),
            keys: 2,
            ids: 1...2
          )
          #expect(found == expected, "\(left) and \(right)")
        }
      }
    }
  }
}
