import Format
import SQLite

/// The tables of a file with their columns.
package struct FileTables: Sendable {
  /// The columns of each table in the order of `CREATE TABLE`.
  package let columns: [String: [String]]
  /// The declared types of the columns.
  private let types: [String: [String]]

  package init(_ connection: Connection) throws {
    let statement = try connection.prepare(
      """
      SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' ORDER BY t.name, c.cid
      """
    )
    var columns: [String: [String]] = [:]
    var types: [String: [String]] = [:]
    while try statement.step() {
      columns[statement.string(at: 0), default: []].append(statement.string(at: 1))
      types[statement.string(at: 0), default: []].append(statement.string(at: 2))
    }
    (self.columns, self.types) = (columns, types)
  }

  package func has(_ table: String) -> Bool { columns[table] != nil }

  package func has(_ column: String, in table: String) -> Bool {
    columns[table]?.contains(column) == true
  }

  /// Refuses a table without columns that it can't be read without.
  func require(_ needed: [String], in table: String) throws(StoreError) {
    let missing = needed.filter { !has($0, in: table) }
    guard missing.isEmpty else {
      throw damaged("The table \(table)", "it does not have \(missing.joined(separator: ", "))")
    }
  }

  /// The columns of a table with their declared types.
  func typedColumns(of table: String) -> [(name: String, type: String)] {
    Array(zip(columns[table] ?? [], types[table] ?? []))
  }

  /// Whether a table is one of the bookkeeping, of an index for places, or of another library.
  static func isKnown(_ table: String) -> Bool {
    let bookkeeping = [
      "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ]
    return bookkeeping.contains(table) || table.hasPrefix("Z_RT_") || table.hasPrefix("sqlite_")
  }
}
