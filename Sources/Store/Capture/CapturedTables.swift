import Adoption
import Format
import SQLite

/// The tables of an adopted file that contain captured rows.
struct CapturedTables {
  private let names: CaptureNames
  private let widths: CaptureWidths

  init(_ tables: [Table], names: CaptureNames) {
    self.names = names
    widths = CaptureWidths(tables.map(\.capturedCount))
  }

  /// The names of the tables that a file has.
  static func names(on connection: Connection) throws -> [String] {
    let prefix = connection.captureNames.prefix + "rows_"
    return try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      $0.string(at: 0)
    }.filter { $0.hasPrefix(prefix) }
  }

  var all: [(width: Int, name: String)] {
    widths.widths.enumerated().map { ($1, names.rows($0)) }
  }

  func name(width: Int) -> String { names.rows(widths.number(width)) }

  /// The clock of the first row that was captured after a number of the clock; nil if there is none.
  func first(after start: Int64, on connection: Connection) throws -> Int64? {
    try all.compactMap { _, name in
      try connection.integer(
        "SELECT clock FROM \(name) WHERE clock > ?1 ORDER BY id LIMIT 1",
        values: [.integer(start)]
      )
    }.min()
  }

  /// The number of rows that were captured after a number of the clock.
  func count(after start: Int64, on connection: Connection) throws -> Int64 {
    try all.reduce(0) { sum, table in
      // While `adopt --suspend` runs a migration, the tables are missing. Then there are no captured
      // rows.
      let isThere = try connection.hasRow(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1",
        values: [.text(table.name)]
      )
      guard isThere else { return sum }
      // The ids have no gaps, because only the oldest rows are deleted.
      let count = try connection.integer(
        """
        SELECT (SELECT max(id) FROM \(table.name)) + 1 - min(id) FROM \(table.name)
          WHERE clock > ?1
        """,
        values: [.integer(start)]
      )
      return sum + (count ?? 0)
    }
  }

  /// The values of a row of a program's table before or after a captured change; nil if the
  /// captured row does not exist.
  func values(
    _ row: CapturedReference,
    isAfter: Bool,
    of table: Table
  ) throws -> [Value]? {
    try withRow(row, of: table) { values(row, isAfter: isAfter, of: table, at: $0) }
  }

  /// The values of a row before the first captured change and after the last one; nil on a side where
  /// the row did not exist.
  func values(
    _ first: CapturedReference?,
    _ last: CapturedReference?,
    of table: Table
  ) throws -> (before: [Value]?, after: [Value]?) {
    // Most rows change once, so one captured row has both sides.
    if let first, first == last {
      return try withRow(first, of: table) {
        (
          values(first, isAfter: false, of: table, at: $0),
          values(first, isAfter: true, of: table, at: $0)
        )
      } ?? (nil, nil)
    }
    return (
      try first.flatMap { try values($0, isAfter: false, of: table) },
      try last.flatMap { try values($0, isAfter: true, of: table) }
    )
  }

  private func values(
    _ row: CapturedReference,
    isAfter: Bool,
    of table: Table,
    at statement: Statement
  ) -> [Value] {
    let first =
      5 + (isAfter && row.isUpdate ? table.capturedCount : 0) + (table.hasRowid ? 1 : 0)
    return table.layout.columns.indices.map { statement.value(at: Int32(clamping: first + $0)) }
  }

  private func withRow<Result>(
    _ row: CapturedReference,
    of table: Table,
    _ body: (Statement) -> Result
  ) throws -> Result? {
    let count = table.capturedCount
    let statement = try table.connection.cached(
      "SELECT * FROM \(name(width: row.isUpdate ? 2 * count : count)) WHERE id = ?1"
    )
    try statement.bind(1, row.id)
    defer { statement.reset() }
    return try statement.step() ? body(statement) : nil
  }

  /// Deletes captured rows up to a number of the clock; false if the time was over before all were
  /// deleted.
  func delete(
    through clock: Int64,
    until deadline: ContinuousClock.Instant? = nil,
    on connection: Connection
  ) throws -> Bool {
    for (_, name) in all {
      // Rows are captured in the order of the clock, so the first rows are the oldest.
      let find = """
        SELECT max(id) FROM (SELECT id, clock FROM \(name) ORDER BY id LIMIT 256) WHERE clock <= ?1
        """
      while let last = try connection.first(
        find,
        values: [.integer(clock)],
        read: { row in
          row.isNull(at: 0) ? nil : row.int64(at: 0)
        }
      ) ?? nil {
        try connection.run("DELETE FROM \(name) WHERE id <= ?1", values: [.integer(last)])
        if let deadline, ContinuousClock.now >= deadline { return false }
      }
    }
    return true
  }
}
