/// A table or a column whose values must not get into the history of an adopted file.
package struct LeftOut: Codable, Hashable, Sendable {
  package var table: String
  /// The column; nil for the whole table.
  package var column: String?
  /// The columns of a table that is left out, which show the table again after it was renamed.
  package var columns: [String]?
  /// Whether the table has no such column now.
  package var isMissing: Bool?

  package init(table: String, column: String? = nil) {
    self.table = table
    self.column = column
  }

  /// The name of a table, or of a table and a column as in `user.password`.
  package var name: String { column.map { "\(table).\($0)" } ?? table }
}

package struct LeftOutColumn: Codable, Hashable, Sendable {
  /// What a replica has instead of the values.
  package enum Placeholder: String, Codable, Hashable, Sendable {
    case null, text, blob, number, uniqueText, uniqueBlob, uniqueNumber
  }

  package var name: String
  /// The placeholder; nil if the column is NULL without one, or if SQLite computes the column.
  package var placeholder: Placeholder?

  package init(name: String, placeholder: Placeholder?) {
    self.name = name
    self.placeholder = placeholder
  }
}
