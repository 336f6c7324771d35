import Format
import SQLite

/// The statements that read and write one join table.
final class JoinStatements {
  let table: JoinTable
  private let connection: Connection
  // The statements are kept here, because looking up a statement by its SQL takes as long as
  // running it.
  private var reading: Statement?
  private var adding: Statement?
  private var removing: Statement?

  init(_ connection: Connection, table: JoinTable) {
    self.connection = connection
    self.table = table
  }

  private var name: String { quoted(table.name) }
  private var first: String { quoted(table.firstColumn) }
  private var second: String { quoted(table.secondColumn) }
  private var pair: String { "\(first) = ?1 AND \(second) = ?2" }

  func isLinked(_ source: Int64, target: Int64) throws -> Bool {
    let statement = try prepared(&reading, "SELECT 1 FROM \(name) WHERE \(pair)")
    try bind(statement, source, target)
    defer { statement.reset() }
    return try statement.step()
  }

  /// Links two objects; false if they were linked already.
  func add(_ source: Int64, target: Int64) throws -> Bool {
    let statement = try prepared(
      &adding,
      "INSERT INTO \(name) (\(first), \(second)) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
    )
    try bind(statement, source, target)
    try statement.run()
    return connection.changes == 1
  }

  /// Unlinks two objects; false if they were not linked.
  @discardableResult
  func remove(_ source: Int64, target: Int64) throws -> Bool {
    let statement = try prepared(&removing, "DELETE FROM \(name) WHERE \(pair)")
    try bind(statement, source, target)
    try statement.run()
    return connection.changes == 1
  }

  // MARK: All links of an object

  /// The targets of a source, in ascending order of ids.
  func targets(of source: Int64) throws -> [Int64] {
    try ids("SELECT \(second) FROM \(name) WHERE \(first) = ?1 ORDER BY 1", id: source)
  }

  /// The owners of a target, in ascending order of ids.
  func owners(of target: Int64) throws -> [Int64] {
    try ids("SELECT \(first) FROM \(name) WHERE \(second) = ?1 ORDER BY 1", id: target)
  }

  private func ids(_ sql: String, id: Int64) throws -> [Int64] {
    let statement = try connection.cached(sql)
    try statement.bind(1, id)
    defer { statement.reset() }
    var result: [Int64] = []
    while try statement.step() { result.append(statement.int64(at: 0)) }
    return result
  }

  // MARK: Statements

  private func prepared(
    _ kept: inout Statement?,
    _ sql: @autoclosure () -> String
  ) throws -> Statement {
    if let kept { return kept }
    let statement = try connection.prepare(sql())
    kept = statement
    return statement
  }

  private func bind(_ statement: Statement, _ source: Int64, _ target: Int64) throws {
    try statement.bind(1, source)
    try statement.bind(2, target)
  }
}
