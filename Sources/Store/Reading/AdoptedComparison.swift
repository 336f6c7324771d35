import Format
import SQLite

/// A row of an adopted file that differs between two files, or that only one of them has.
package struct AdoptedRowPair {
  /// The quoted name of the table.
  package let table: String
  /// The quoted names of the columns that a statement can write; with the rowid, if the rowid
  /// identifies the row.
  package let columns: [String]
  /// The quoted names of the columns that identify the row, with their values.
  package let key: [(column: String, value: Value)]
  /// The quoted name of the rowid and its value, if the row has its rowid because its key has NULL.
  package let rowid: (column: String, value: Value)?
  /// The values in the order of ``columns``; nil if only the other file has the row.
  package let before: [Value]?
  package let after: [Value]?
}

extension Reader {
  /// Calls the closure with each row that differs between this file and another file, or that only
  /// one of them has, table by table.
  package func adoptedRows(
    differentIn other: Reader,
    _ body: (AdoptedRowPair) throws -> Void
  ) throws {
    for reader in [self, other] { try reader.checkValuesAreKnown() }
    try forEachAdopted(in: other) { name, table, before, after in
      let isSame = before.flatMap { before in
        after.map { zip(before, $0).allSatisfy { $0.isSame(as: $1) } }
      }
      guard isSame != true, let key = table.identity(of: name) else { return }
      let written = table.layout.columns.indices.filter { table.isWritten(ColumnIndex($0)) }
      var columns: [String] = written.map { table.layout.columns[$0].quoted }
      var rowid: [Value] = []
      if let number = table.rowid(of: ObjectID(name)) {
        rowid = [Value.integer(number)]
        columns.append(table.rowidName)
      }
      func row(_ values: [Value]?) -> [Value]? {
        guard let values else { return nil }
        return written.map { values[$0] } + rowid
      }
      try body(
        AdoptedRowPair(
          table: table.layout.table,
          columns: columns,
          key: key,
          rowid: table.key.isEmpty ? nil : rowid.first.map { (table.rowidName, $0) },
          before: row(before),
          after: row(after)
        )
      )
    }
  }

  /// Calls the closure table by table, with each row of this file, and then with each row that only
  /// another file has.
  ///
  /// The closure gets the row's name, its table in the other file, and its values in both files.
  private func forEachAdopted(
    in other: Reader,
    _ body: (RowName, Table, _ before: [Value]?, _ after: [Value]?) throws -> Void
  ) throws {
    for layout in other.layouts {
      // The order of the columns can differ after columns were renamed.
      guard let old = layouts.first(where: { $0.entity.name == layout.entity.name }),
        Set(old.columns.map(\.name)) == Set(layout.columns.map(\.name))
      else { continue }
      let places = layout.columns.compactMap { column in
        old.columns.firstIndex { $0.name == column.name }
      }
      let left = Table(connection, layout: old, layouts: layouts)
      let right = Table(other.connection, layout: layout, layouts: other.layouts)
      let changed = try changedKeys(of: [old.table], until: other)
      try left.forEachRow(in: changed) { name, values in
        try body(name, right, places.map { values[$0] }, right.find(name))
      }
      try right.forEachRow(in: changed) { name, values in
        if try left.find(name) == nil { try body(name, right, nil, values) }
      }
    }
  }
}

extension Table {
  /// Calls the closure with each row, or with each row that has one of some keys.
  fileprivate func forEachRow(
    in keys: Statement?,
    _ body: (RowName, [Value]) throws -> Void
  ) throws {
    guard let keys else {
      let rows = try rows()
      while try rows.step() {
        let (name, values) = try row(at: rows)
        try body(name, values)
      }
      return
    }
    keys.reset()
    while try keys.step() {
      let name = RowName(ObjectID(at: keys))
      if let values = try find(name) { try body(name, values) }
    }
  }
}
