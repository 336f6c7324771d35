import Format
import SQLite

/// Reads the rows of two states in the order of their key, and stops at each difference.
final class RowMerge {
  /// Whether only one state has the row, or both states have it with different values.
  enum Place {
    case left, right, both
  }

  private let left: Side
  private let right: Side
  private let columns: Range<Int32>
  /// The current difference; the next call of ``next()`` skips its rows.
  private var place = Place.both

  init(_ part: ComparedRows.Part, left: Reader, right: Reader) throws {
    self.left = try Side(part.left, connection: left.connection, keys: part.keys)
    self.right = try Side(part.right, connection: right.connection, keys: part.keys)
    columns = part.keys..<part.columns
  }

  /// The id of the row at which the merge stopped.
  var id: Int64 { place == .right ? right.key.0 : left.key.0 }

  func begin(_ ids: ClosedRange<Int64>) throws {
    place = .both
    try left.begin(ids)
    try right.begin(ids)
  }

  /// Moves to the next difference; nil after the last difference.
  func next() throws -> Place? {
    while true {
      if place != .right { try left.advance() }
      if place != .left { try right.advance() }
      switch (left.isAtEnd, right.isAtEnd) {
      case (true, true):
        return nil
      case (false, true): place = .left
      case (true, false): place = .right
      case (false, false):
        place =
          left.key < right.key ? .left : right.key < left.key ? .right : .both
        // Nearly all rows are equal; this comparison does not copy their values.
        if place == .both, left.row.hasSameValues(in: columns, as: right.row) { continue }
      }
      return place
    }
  }

  func pair() -> RowPair {
    RowPair(
      before: place == .right ? nil : left.values(columns.upperBound),
      after: place == .left ? nil : right.values(columns.upperBound)
    )
  }
}

/// One of the two compared states, with its current row.
private final class Side {
  let row: Statement
  private let keys: Int32
  private(set) var isAtEnd = false
  private(set) var key: (Int64, Int64) = (0, 0)

  init(_ source: ComparedRows.Source, connection: Connection, keys: Int32) throws {
    row = try connection.prepare(source.rows)
    self.keys = keys
  }

  func begin(_ ids: ClosedRange<Int64>) throws {
    row.reset()
    try row.bind(1, ids.lowerBound)
    try row.bind(2, ids.upperBound)
    isAtEnd = false
  }

  func advance() throws {
    guard !isAtEnd else { return }
    isAtEnd = try !row.step()
    if !isAtEnd { key = (row.int64(at: 0), keys == 1 ? 0 : row.int64(at: 1)) }
  }

  func values(_ columns: Int32) -> [Value] {
    (0..<columns).map { row.value(at: $0) }
  }
}
