import SQLite

/// A row that is in one store and not in another, or is otherwise there.
public struct RowPair: Sendable {
  /// The values in the first store, in the order of the table's columns; nil where it is not there.
  public var before: [Value]?
  /// The values in the second store.
  public var after: [Value]?

  /// The values of one side, for what both have in common.
  public var either: [Value] { after ?? before ?? [] }
}

/// Goes through one table of two stores side by side, in the order of its key, one row at a time.
public final class TableComparison {
  private let left: Side
  private let right: Side
  private let columns: Int32

  /// Begins with the first row of a table that both stores have.
  public init(_ left: Reader, _ right: Reader, _ table: TableDefinition) throws {
    // A table of objects has an id, and one of links the ids of both its ends.
    let keys = table.columns.first == "id" ? 1 : 2
    let list = table.columns.map(quoted).joined(separator: ", ")
    let order = table.columns.prefix(keys).map(quoted).joined(separator: ", ")
    let sql = "SELECT \(list) FROM \(quoted(table.name)) ORDER BY \(order)"
    columns = Int32(table.columns.count)
    self.left = try Side(left, sql, keys: keys, columns: columns)
    self.right = try Side(right, sql, keys: keys, columns: columns)
  }

  /// The next row that differs; nil after the last.
  public func next() throws -> RowPair? {
    while true {
      switch (left.isAtEnd, right.isAtEnd) {
      case (true, true): return nil
      case (false, true): return RowPair(before: try left.take(), after: nil)
      case (true, false): return RowPair(before: nil, after: try right.take())
      case (false, false):
        if left.key < right.key { return RowPair(before: try left.take(), after: nil) }
        if right.key < left.key { return RowPair(before: nil, after: try right.take()) }
        guard !left.hasSameRow(as: right) else {
          try left.advance()
          try right.advance()
          continue
        }
        return RowPair(before: try left.take(), after: try right.take())
      }
    }
  }
}

/// One of the two stores, at a row.
private final class Side {
  private let statement: Statement
  private let keys: Int
  private let columns: Int32
  private(set) var isAtEnd = false
  /// The ids that the row is found by.
  private(set) var key: (Int64, Int64) = (0, 0)

  init(_ reader: Reader, _ sql: String, keys: Int, columns: Int32) throws {
    statement = try reader.connection.prepare(sql)
    self.keys = keys
    self.columns = columns
    try advance()
  }

  func advance() throws {
    isAtEnd = try !statement.step()
    if !isAtEnd { key = (statement.int64(at: 0), keys == 1 ? 0 : statement.int64(at: 1)) }
  }

  func take() throws -> [Value] {
    let values = (0..<columns).map { statement.value(at: $0) }
    try advance()
    return values
  }

  func hasSameRow(as other: Side) -> Bool {
    for column in Int32(keys)..<columns
    where !statement.hasSameValue(at: column, as: other.statement, at: column) {
      return false
    }
    return true
  }
}
