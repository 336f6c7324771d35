import Format
import SQLite

/// Short queries.
///
/// If a query reads at most one row, the connection keeps the prepared statement.
extension Connection {
  package func run(_ sql: String, values: [Value] = []) throws {
    try bound(cached(sql), values: values).run()
  }

  func hasRow(_ sql: String, values: [Value] = []) throws -> Bool {
    try first(bound(cached(sql), values: values)) { _ in true } ?? false
  }

  /// The first column of the first row; nil if it is NULL, or there is no row.
  package func integer(_ sql: String, values: [Value] = []) throws -> Int64? {
    try first(bound(cached(sql), values: values)) { $0.isNull(at: 0) ? nil : $0.int64(at: 0) }
  }

  /// Reads the first row with a closure; nil if there is no row.
  func first<Result>(
    _ sql: String,
    values: [Value] = [],
    read: (Statement) throws -> Result?
  ) throws -> Result? {
    try first(bound(cached(sql), values: values), read)
  }

  func all<Result>(
    _ sql: String,
    values: [Value] = [],
    read: (Statement) throws -> Result
  ) throws -> [Result] {
    let statement = try bound(prepare(sql), values: values)
    var result: [Result] = []
    while try statement.step() { result.append(try read(statement)) }
    return result
  }

  /// A new statement with bound values; the caller steps through the rows.
  func query(_ sql: String, values: [Value] = []) throws -> Statement {
    try bound(prepare(sql), values: values)
  }

  /// A number that changes with each commit of another connection.
  func dataVersion() throws -> Int64 { try integer("PRAGMA data_version") ?? 0 }

  private func bound(_ statement: Statement, values: [Value]) throws -> Statement {
    for (index, value) in values.enumerated() { try statement.bind(Int32(index) + 1, value) }
    return statement
  }

  private func first<Result>(
    _ statement: Statement,
    _ read: (Statement) throws -> Result?
  ) throws -> Result? {
    defer { statement.reset() }
    return try statement.step() ? read(statement) : nil
  }
}
