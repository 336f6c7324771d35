/// A table of a database that another program created, and how it can be recorded.
package struct TableDescription: Hashable, Sendable {
  package let name: String
  package let recording: TableRecording
  /// All columns in their order, also the generated ones.
  package let columns: [TableColumn]
  /// The indexes through which REPLACE can remove other rows than the one with the same key.
  package let uniqueIndexes: [UniqueIndex]
}

package struct TableColumn: Hashable, Sendable {
  package let name: String
  /// The type as the statement spells it; empty if it has none.
  package let declaredType: String
  package let isRequired: Bool
  /// Whether SQLite computes it, so that replaying a row must not write it.
  package let isGenerated: Bool
  /// The default as the statement spells it; nil if there is none.
  package let defaultText: String?
}

package enum TableRecording: Hashable, Sendable {
  /// By triggers on the table.
  case triggers(TableKey)
  /// By triggers on another table, from which SQLite rebuilds this one.
  case through(String)
  /// Not at all: the table is a part of this virtual table.
  case part(of: String)
  case refused(TableRefusal)
}

/// How a row is identified.
package enum TableKey: Hashable, Sendable {
  /// An INTEGER PRIMARY KEY, which is the rowid.
  case integer(column: String)
  /// The primary key's columns, in its order.
  ///
  /// - Parameters:
  ///   - rowid: The name that reads the rowid, for keys with NULL; nil if the key can't have NULL.
  case columns([String], rowid: String?)
  /// There is no primary key; the rowid, by the name that reads it, can change in a VACUUM.
  case rowid(String)
}

package enum TableRefusal: Hashable, Sendable {
  case contentless
  case module(String)
  /// An FTS5 table that indexes a view, or a table that is missing or refused.
  case externalContent(String)
  /// Columns have all three names of the rowid, which the key needs.
  case hiddenRowid
  /// A column or an index has a collation that only the program knows.
  case collation(String)
  /// It has more columns than a captured row can have.
  case tooWide(Int)
}

/// A unique index, a unique constraint, or a primary key that is not the rowid.
package struct UniqueIndex: Hashable, Sendable {
  package let name: String
  package let parts: [IndexPart]
  /// Whether it has a WHERE clause.
  package let isPartial: Bool
  /// The statement that created it; nil for a constraint of the table.
  package let sql: String?
}

package struct IndexPart: Hashable, Sendable {
  /// Nil for an expression.
  package let column: String?
  package let collation: String
}
