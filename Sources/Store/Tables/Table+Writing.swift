import Changes
import SQLite

/// Writes rows of a table of another program. Each row is found by its name.
///
/// The conflict clauses of a table can delete rows or ignore a change, so each statement has its
/// own conflict clause.
extension Table {
  /// Whether a statement can write a column; false if SQLite computes the column.
  func isWritten(_ column: ColumnIndex) -> Bool {
    guard case .attribute(let index) = layout.columns[column].content else { return true }
    return layout.entity.attributes[index].isGenerated != true
  }

  /// The values of a row without the values that SQLite computes, which can differ between versions
  /// of SQLite.
  func stored(_ values: [Value]) -> [Value] {
    guard hasGenerated else { return values }
    return values.indices.filter { isWritten(ColumnIndex($0)) }.map { values[$0] }
  }

  func insert(_ values: [Value], name: RowName) throws {
    try insert(values, into: values.indices.map { ColumnIndex($0) }, name: name)
  }

  /// Inserts a row with values of some columns; the other columns get their defaults.
  func insert(_ values: [Value], into columns: [ColumnIndex], name: RowName) throws {
    let written = zip(columns, values).filter { isWritten($0.0) }
    var list = written.map { layout.columns[$0.0].quoted }
    var parameters = written.map(\.1)
    if let rowid = isRowid(name) {
      list.append(rowidName)
      parameters.append(.integer(rowid))
    }
    var marks = list.indices.map { "?\($0 + 1)" }
    for (column, placeholder) in layout.entity.placeholders {
      list.append(column)
      marks.append(placeholder)
    }
    try connection.run(
      "INSERT OR ABORT INTO \(layout.table) (\(list.joined(separator: ", ")))"
        + " VALUES (\(marks.joined(separator: ", ")))",
      values: parameters
    )
  }

  /// Sets some columns of the named row to the values in `row`.
  ///
  /// The result is false if all of the columns are generated.
  @discardableResult
  func update(_ columns: [ColumnIndex], row: [Value], name: RowName) throws -> Bool {
    let columns = columns.filter(isWritten)
    guard !columns.isEmpty, let (condition, key) = condition(name) else { return false }
    let settings = columns.enumerated().map { place, column in
      "\(layout.columns[column].quoted) = ?\(key.count + place + 1)"
    }
    try connection.run(
      "UPDATE OR ABORT \(layout.table) SET \(settings.joined(separator: ", ")) WHERE \(condition)",
      values: key + columns.map { row[$0] }
    )
    return true
  }

  func delete(_ name: RowName) throws {
    guard let (condition, key) = condition(name) else { return }
    try connection.run("DELETE FROM \(layout.table) WHERE \(condition)", values: key)
  }
}

extension Entity {
  /// The quoted names of the columns that are left out and need a placeholder, each with the SQL
  /// expression of its placeholder.
  var placeholders: [(column: String, placeholder: String)] {
    (leftOutColumns ?? []).compactMap { column in
      column.placeholder.map { (quoted(column.name), $0.sql) }
    }
  }
}

extension LeftOutColumn.Placeholder {
  fileprivate var sql: String {
    switch self {
    case .null: "NULL"
    case .text: "''"
    case .blob: "x''"
    case .number: "0"
    case .uniqueText: "hex(randomblob(16))"
    case .uniqueBlob: "randomblob(16)"
    case .uniqueNumber: "random()"
    }
  }
}

extension SQLiteError {
  /// Whether the statement failed because another row has the same unique value.
  var isUniqueConflict: Bool {
    code == Self.constraintUnique || code == Self.constraintPrimaryKey
      || code == Self.constraintRowID
  }
}
