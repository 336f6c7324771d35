/// A table of a database that another program created, and how it can be recorded.
package struct TableDescription: Hashable, Sendable {
  package let name: String
  package let recording: TableRecording
  /// All columns in the order of the table, including generated columns.
  package let columns: [TableColumn]
  /// The unique indexes.
  ///
  /// If a new row conflicts with another row in a unique index, `REPLACE` removes the other row,
  /// even if it has another key.
  package let uniqueIndexes: [UniqueIndex]
  /// The name with which SQL reads the rowid; nil if the table has no rowid, or if columns have all
  /// of the names.
  package let rowid: String?
}

package struct TableColumn: Hashable, Sendable {
  package let name: String
  /// The type as in the statement that created the table; empty if the column has no type.
  package let declaredType: String
  package let isRequired: Bool
  /// Whether SQLite computes the column.
  ///
  /// Replay must not write a generated column.
  package let isGenerated: Bool
  /// The default as in the statement that created the table; nil if the column has no default.
  package let defaultText: String?
  /// Whether the values must not get into history.
  package var isLeftOut = false
}

package enum TableRecording: Hashable, Sendable {
  case triggers(TableKey)
  /// Triggers on another table capture the changes, because SQLite derives this table from the
  /// other table.
  case through(String)
  /// The table is not recorded, because it is a part of a virtual table.
  case part(of: String)
  case refused(TableRefusal)
}

/// How a row is identified.
package enum TableKey: Hashable, Sendable {
  /// An INTEGER PRIMARY KEY, which SQLite uses as the rowid.
  case integer(column: String)
  /// The columns of the primary key, in the order of the key.
  ///
  /// - Parameters:
  ///   - rowid: The name with which SQL reads the rowid of rows that have NULL in the key; nil if
  ///     the key can't have NULL.
  case columns([String], rowid: String?)
  /// The table has no primary key, so the rowid identifies a row until a VACUUM changes it.
  ///
  /// The associated value is the name with which SQL reads the rowid.
  case rowid(String)
}

package enum TableRefusal: Hashable, Sendable {
  case leftOut
  case contentless
  case module(String)
  /// An FTS5 table that indexes a view, a missing table, or a table that is not recorded.
  case externalContent(String)
  /// The rowid is needed, but the table has columns with all three names with which SQL could read
  /// the rowid.
  case hiddenRowid
  /// A column or an index has a collation that only the program knows.
  case collation(String)
  /// The table has more columns than a captured row can have.
  case tooWide(Int)
}

/// A unique index, a unique constraint, or a primary key that is not the rowid.
package struct UniqueIndex: Hashable, Sendable {
  package let name: String
  package let parts: [IndexPart]
  /// Whether the index has a WHERE clause.
  package let isPartial: Bool
  /// The statement that created the index; nil if a constraint of the table created it.
  package let sql: String?
}

package struct IndexPart: Hashable, Sendable {
  /// The indexed column; nil for an expression.
  package let column: String?
  package let collation: String
}
