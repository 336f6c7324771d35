import SQLite

/// The statements that read and write one join table.
final class JoinStatements {
  let table: JoinTable
  private let connection: Connection

  init(_ connection: Connection, _ table: JoinTable) {
    self.connection = connection
    self.table = table
  }

  private var name: String { quoted(table.name) }
  private var first: String { quoted(table.firstColumn) }
  private var second: String { quoted(table.secondColumn) }

  /// The link of a pair; nil where there is none.
  func link(_ source: Int64, _ target: Int64) throws -> ChangeDraft.Link? {
    let statement = try connection.cached(
      "SELECT position FROM \(name) WHERE \(first) = ?1 AND \(second) = ?2"
    )
    try statement.bind(1, source)
    try statement.bind(2, target)
    defer { statement.reset() }
    return try statement.step() ? ChangeDraft.Link(position: statement.position(at: 0)) : nil
  }

  /// Makes the link of a pair, or gives it another position.
  func set(_ source: Int64, _ target: Int64, _ link: ChangeDraft.Link) throws {
    let statement = try connection.cached(
      "INSERT INTO \(name) (\(first), \(second), position) VALUES (?1, ?2, ?3)"
        + " ON CONFLICT DO UPDATE SET position = excluded.position"
    )
    try statement.bind(1, source)
    try statement.bind(2, target)
    if let position = link.position { try statement.bind(3, position) }
    try statement.run()
  }

  /// Takes the link of a pair away.
  func remove(_ source: Int64, _ target: Int64) throws {
    let statement = try connection.cached(
      "DELETE FROM \(name) WHERE \(first) = ?1 AND \(second) = ?2"
    )
    try statement.bind(1, source)
    try statement.bind(2, target)
    try statement.run()
  }

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
}

extension Statement {
  fileprivate func position(at index: Int32) -> Int64? {
    isNull(at: index) ? nil : int64(at: index)
  }
}
