import SQLite

/// The statements that read and write one join table.
final class JoinStatements {
  let table: JoinTable
  private let connection: Connection
  // Kept here: to find a statement by its text costs as much as to run one of these.
  private var reading: Statement?
  private var setting: Statement?
  private var adding: Statement?
  private var moving: Statement?
  private var removing: Statement?
  private var taking: Statement?

  init(_ connection: Connection, _ table: JoinTable) {
    self.connection = connection
    self.table = table
  }

  private var name: String { quoted(table.name) }
  private var first: String { quoted(table.firstColumn) }
  private var second: String { quoted(table.secondColumn) }
  private var pair: String { "\(first) = ?1 AND \(second) = ?2" }

  /// The link of a pair; nil where there is none.
  func link(_ source: Int64, _ target: Int64) throws -> ChangeDraft.Link? {
    let statement = try prepared(&reading, "SELECT position FROM \(name) WHERE \(pair)")
    try bind(statement, source, target)
    defer { statement.reset() }
    return try statement.step() ? ChangeDraft.Link(position: statement.position(at: 0)) : nil
  }

  /// Makes the link of a pair, or gives it another position.
  func set(_ source: Int64, _ target: Int64, _ link: ChangeDraft.Link) throws {
    let statement = try prepared(
      &setting,
      "INSERT INTO \(name) (\(first), \(second), position) VALUES (?1, ?2, ?3)"
        + " ON CONFLICT DO UPDATE SET position = excluded.position"
    )
    try bind(statement, source, target)
    try statement.bind(3, position: link.position)
    try statement.run()
  }

  /// Takes the link of a pair away.
  func remove(_ source: Int64, _ target: Int64) throws {
    let statement = try prepared(&removing, "DELETE FROM \(name) WHERE \(pair)")
    try bind(statement, source, target)
    try statement.run()
  }

  // MARK: With what is expected

  /// Makes the link of a pair that has none; false where it has one.
  func add(_ source: Int64, _ target: Int64, _ link: ChangeDraft.Link) throws -> Bool {
    let statement = try prepared(
      &adding,
      "INSERT INTO \(name) (\(first), \(second), position) VALUES (?1, ?2, ?3)"
        + " ON CONFLICT DO NOTHING"
    )
    try bind(statement, source, target)
    try statement.bind(3, position: link.position)
    try statement.run()
    return connection.changes == 1
  }

  /// Gives the link of a pair another position; false where it is not as expected.
  func move(
    _ source: Int64,
    _ target: Int64,
    from old: ChangeDraft.Link,
    to new: ChangeDraft.Link
  ) throws -> Bool {
    let statement = try prepared(
      &moving,
      "UPDATE \(name) SET position = ?4 WHERE \(pair) AND position IS ?3"
    )
    try bind(statement, source, target)
    try statement.bind(3, position: old.position)
    try statement.bind(4, position: new.position)
    try statement.run()
    return connection.changes == 1
  }

  /// Takes the link of a pair away; false where it is not as expected.
  func take(_ source: Int64, _ target: Int64, _ link: ChangeDraft.Link) throws -> Bool {
    let statement = try prepared(
      &taking,
      "DELETE FROM \(name) WHERE \(pair) AND position IS ?3"
    )
    try bind(statement, source, target)
    try statement.bind(3, position: link.position)
    try statement.run()
    return connection.changes == 1
  }

  // MARK: All links of an object

  /// All links of an owner, by the ids that they lead to.
  func links(of source: Int64) throws -> [Int64: ChangeDraft.Link] {
    try links("SELECT \(second), position FROM \(name) WHERE \(first) = ?1", source)
  }

  /// All links that lead to an object, by their owners' ids.
  func links(to target: Int64) throws -> [Int64: ChangeDraft.Link] {
    try links("SELECT \(first), position FROM \(name) WHERE \(second) = ?1", target)
  }

  private func links(_ sql: String, _ id: Int64) throws -> [Int64: ChangeDraft.Link] {
    let statement = try connection.cached(sql)
    try statement.bind(1, id)
    defer { statement.reset() }
    var result: [Int64: ChangeDraft.Link] = [:]
    while try statement.step() {
      result[statement.int64(at: 0)] = ChangeDraft.Link(position: statement.position(at: 1))
    }
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

extension Statement {
  fileprivate func position(at index: Int32) -> Int64? {
    isNull(at: index) ? nil : int64(at: index)
  }

  fileprivate func bind(_ index: Int32, position: Int64?) throws {
    if let position { try bind(index, position) } else { try bindNull(index) }
  }
}
