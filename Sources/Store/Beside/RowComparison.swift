import Format
import SQLite

/// Finds the rows that differ between a table of a history file and the same table of a database.
final class RowComparison {
  /// The row as the history file has it and as the database has it; nil stands for a missing row.
  typealias Body = (RowName, _ before: [Value]?, _ after: [Value]?) throws -> Void

  private let old: Table
  private let new: Table
  /// The place and the name of the row ID in the statements that read rows; nil if the row ID does not
  /// identify each row.
  private let rowID: (place: Int32, name: String)?
  /// The statements that read a range of row IDs; nil until they are used.
  private var ranges: (old: Statement, new: Statement)?
  /// The number of rows that were compared and are equal.
  private(set) var equalRows: Int64 = 0

  init(_ old: Table, _ new: Table) throws {
    self.old = old
    self.new = new
    rowID = try new.rowID()
  }

  /// Whether the row ID identifies each row.
  var isNumbered: Bool { rowID != nil }

  /// The name of the row with a row ID; nil if the row ID does not identify rows.
  func name(ofRowID id: Int64) -> RowName? {
    guard isNumbered else { return nil }
    return old.isNumbered ? RowName(key: [], rowid: id) : RowName(key: [.integer(id)], rowid: nil)
  }

  /// Calls the closure with each row that differs.
  ///
  /// The closure may write the row to the old table.
  func forEachDifference(_ body: Body) throws {
    guard rowID == nil else { return try forEachDifference(in: .min ... .max, body) }
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
    guard let rowID else { return }
    let (left, right) = try ranges(range, of: rowID.name)
    let columns = 1..<Int32(clamping: old.layout.columns.count) + 1
    var (hasLeft, hasRight) = (try left.step(), try right.step())
    while hasLeft || hasRight {
      let (mine, theirs) = (left.int64(at: rowID.place), right.int64(at: rowID.place))
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

  /// Calls the closure if the row with a name differs.
  func compare(_ name: RowName, _ body: Body) throws {
    let (before, after) = (try old.find(name), try new.find(name))
    if let before, let after, isSame(before, after) { return }
    if before != nil || after != nil { try body(name, before, after) }
  }

  private func ranges(
    _ range: ClosedRange<Int64>,
    of name: String
  ) throws -> (old: Statement, new: Statement) {
    let ranges = try self.ranges ?? (old.rows(inRangeOf: name), new.rows(inRangeOf: name))
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
  fileprivate func rows(inRangeOf name: String) throws -> Statement {
    try connection.prepare(
      "SELECT \(list) FROM \(layout.table) WHERE \(name) BETWEEN ?1 AND ?2 ORDER BY \(name)"
    )
  }

  /// The place and the name of the row ID in statements with ``list``; nil if the row ID does not
  /// identify each row.
  fileprivate func rowID() throws -> (place: Int32, name: String)? {
    if isNumbered { return (0, rowidName) }
    guard let column = key.first, key.count == 1, !hasRowid else { return nil }
    // An INTEGER PRIMARY KEY is the row ID; SQLite has an index for each other key.
    let index = try connection.first(
      "SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk'",
      values: [.text(layout.entity.name)]
    ) { $0.int64(at: 0) }
    guard index == nil else { return nil }
    return (Int32(clamping: column.number) + 1, layout.columns[column].quoted)
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
