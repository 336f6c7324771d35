import Format
import SQLite

/// The rows that the tables of an adopted file had before a migration, in a temporary file.
///
/// SQLite removes the temporary file when the connection closes, even if the process is killed.
final class EarlierTables {
  private let connection: Connection
  private let tables: [String: Table]

  /// Copies all rows of the recorded tables.
  ///
  /// The caller must have the write lock.
  init(of schema: StoreSchema, on source: Connection) throws {
    let copy = try Connection(path: "", mode: .readWriteCreate)
    // The encoding must be set before the first table exists.
    if let encoding = schema.encoding { try copy.setEncoding(encoding.rawValue) }
    try copy.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192; BEGIN"
    )
    let layouts = try schema.layouts()
    var tables: [String: Table] = [:]
    for layout in layouts {
      let table = Table(copy, layout: layout, layouts: layouts)
      try table.fill(from: Table(source, layout: layout, layouts: layouts))
      tables[layout.entity.name] = table
    }
    connection = copy
    self.tables = tables
  }

  /// The copy of a table.
  func table(_ name: String) -> Table? { tables[name] }
}

extension Table {
  /// Creates the table without types and constraints, so that it accepts all rows unchanged, and
  /// copies the rows of another table with the same columns.
  fileprivate func fill(from other: Table) throws {
    let list = layout.columns.map(\.quoted)
    try connection.execute("CREATE TABLE \(layout.table) (\(list.joined(separator: ", ")))")
    if !key.isEmpty {
      let columns = key.map { layout.columns[$0].quoted }.joined(separator: ", ")
      try connection.execute(
        "CREATE INDEX \"key \(layout.index.number)\" ON \(layout.table) (\(columns))"
      )
    }
    let isNumbered = layout.entity.identity?.rowid != nil
    let names = (isNumbered ? [rowidName] : []) + list
    let marks = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let insertion = try connection.prepare(
      "INSERT INTO \(layout.table) (\(names.joined(separator: ", "))) VALUES (\(marks))"
    )
    let rows = try other.rows()
    while try rows.step() {
      for place in names.indices {
        let column = Int32(truncatingIfNeeded: isNumbered ? place : place + 1)
        try insertion.bind(Int32(truncatingIfNeeded: place) + 1, rows.value(at: column))
      }
      try insertion.run()
    }
  }
}
