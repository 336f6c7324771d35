/// A table, index, view or trigger of an adopted database.
package struct SchemaObject: Codable, Hashable, Sendable {
  package var type: String
  package var name: String
  /// The table that the index or trigger belongs to.
  package var table: String
  /// The statement that created the table, index, view or trigger, unchanged.
  package var sql: String

  package init(type: String, name: String, table: String, sql: String) {
    self.type = type
    self.name = name
    self.table = table
    self.sql = sql
  }
}

/// The encoding of the texts in an adopted database, if it is not UTF-8.
package enum TextEncoding: String, Codable, Hashable, Sendable {
  case utf16LittleEndian = "UTF-16le"
  case utf16BigEndian = "UTF-16be"
}

/// The identity of the rows of an adopted table.
package struct RowIdentity: Codable, Hashable, Sendable {
  /// The columns of the key, in the order of the key; empty if only the rowid identifies a row.
  package var columns: [String]
  /// The name with which SQL reads the rowid; nil if the key identifies every row, because it can't
  /// have NULL.
  package var rowid: String?

  package init(columns: [String], rowid: String? = nil) {
    self.columns = columns
    self.rowid = rowid
  }
}
