import Format
import SQLite

/// Finds the rows that differ between a table of a history file and the same table of a database.
final class RowComparison {
  /// The row as the history file has it and as the database has it; nil stands for a missing row.
  typealias Body = (RowName, _ before: [Value]?, _ after: [Value]?) throws -> Void

  private let old: Table
  private let new: Table
  /// Whether the row ID of the table's b-tree is the key of the rows, in the history file too.
  let isNumbered: Bool
  /// The place of the row ID in a row of a statement, and its name.
  private let number: (place: Int32, name: String)
  /// The statements that read a range of row IDs; nil until they are used.
  private var ranges: (old: Statement, new: Statement)?
  /// The number of rows that were compared and are equal.
  private(set) var equalRows: Int64 = 0

  init(_ old: Table, _ new: Table) throws {
    self.old = old
    self.new = new
    number =
      old.key.first.map { (Int32(clamping: $0.number) + 1, old.layout.columns[$0].quoted) }
      ?? (0, old.rowidName)
    // The only key without an index is an INTEGER PRIMARY KEY.
    isNumbered =
      try old.isNumbered
      || old.key.count == 1
        && !new.connection.hasRow(
          "SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk'",
          values: [.text(new.layout.entity.name)]
        )
  }

  /// Calls the closure with each row that differs.
  ///
  /// The closure may write the row to the old table.
  func forEachDifference(_ body: Body) throws {
    guard !isNumbered else { return try forEachDifference(in: .min ... .max, body) }
    let rows = try old.rows()
    while try rows.step() {
      let (name, before) = try old.row(at: rows)
      let after = try new.find(name)
      if let after, isSame(before, after) {
        equalRows += 1
      } else {
        try body(name, before, after)
      }
    }
    let added = try new.rows()
    while try added.step() {
      let (name, after) = try new.row(at: added)
      if try old.find(name) == nil { try body(name, nil, after) }
    }
  }

  /// Calls the closure with each differing row of a numbered table whose row ID is in a range.
  func forEachDifference(in range: ClosedRange<Int64>, _ body: Body) throws {
    let (left, right) = try ranges(range)
    let columns = 1..<Int32(clamping: old.layout.columns.count) + 1
    var (hasLeft, hasRight) = (try left.step(), try right.step())
    while hasLeft || hasRight {
      let (mine, theirs) = (left.int64(at: number.place), right.int64(at: number.place))
      if hasLeft, hasRight, mine == theirs {
        if left.hasSameValues(in: columns, as: right) {
          equalRows += 1
        } else {
          let (name, before) = try old.row(at: left)
          try body(name, before, new.values(at: right))
        }
        (hasLeft, hasRight) = (try left.step(), try right.step())
      } else if hasLeft, !hasRight || mine < theirs {
        let (name, before) = try old.row(at: left)
        try body(name, before, nil)
        hasLeft = try left.step()
      } else {
        let (name, after) = try new.row(at: right)
        try body(name, nil, after)
        hasRight = try right.step()
      }
    }
  }

  /// The name of the row with a row ID.
  func name(ofRowID id: Int64) throws -> RowName {
    try old.name(ofKey: old.key.isEmpty ? [] : [.integer(id)], rowid: id)
  }

  /// Calls the closure if the row with a name differs.
  func compare(_ name: RowName, _ body: Body) throws {
    let (before, after) = (try old.find(name), try new.find(name))
    if let before, let after, isSame(before, after) { return }
    if before != nil || after != nil { try body(name, before, after) }
  }

  private func ranges(_ range: ClosedRange<Int64>) throws -> (old: Statement, new: Statement) {
    let ranges = try self.ranges ?? (old.rows(between: number.name), new.rows(between: number.name))
    self.ranges = ranges
    for statement in [ranges.old, ranges.new] {
      statement.reset()
      try statement.bind(1, range.lowerBound)
      try statement.bind(2, range.upperBound)
    }
    return ranges
  }

  private func isSame(_ before: [Value], _ after: [Value]) -> Bool {
    zip(before, after).allSatisfy { $0.isSame(as: $1) }
  }
}

extension Table {
  /// A statement that reads the rows between two row IDs, in their order.
  fileprivate func rows(between number: String) throws -> Statement {
    try connection.prepare(
      "SELECT \(list) FROM \(layout.table) WHERE \(number) BETWEEN ?1 AND ?2 ORDER BY \(number)"
    )
  }

  /// The name of the row with a row ID in the table's b-tree; nil if there is no such row.
  ///
  /// The caller must know that a name of the row ID is free.
  func name(ofRowID rowid: Int64, alias: String) throws -> RowName? {
    let statement = try connection.cached("SELECT \(list) FROM \(layout.table) WHERE \(alias) = ?1")
    defer { statement.reset() }
    try statement.bind(1, rowid)
    return try statement.step() ? row(at: statement).name : nil
  }

  /// A name with which SQL reads the row ID; nil if columns have all of them.
  var rowIDAlias: String? {
    let taken = Set(layout.columns.map { $0.name.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
  }
}
