import Changes
import SQLite

/// The rows that a transaction changed.
///
/// The rows are in a temporary file, because a transaction can change any number of rows. For each
/// row, the file has the captured row with the first state and the captured row with the last
/// state.
final class TouchedRows {
  struct Row {
    let table: Int
    let name: RowName
    /// The captured row with the values before the transaction; nil if the row did not exist.
    let first: Int64?
    /// The captured row with the values after the transaction; nil if the row was deleted.
    let last: Int64?
  }

  private let connection: Connection
  private let finding: Statement
  private let adding: Statement
  private let changing: Statement
  private let replacing: Statement
  private let checking: Statement
  private let moving: Statement
  private let findingMove: Statement
  private var hasMoves = false

  init() throws {
    // SQLite creates and removes a temporary file if the path is empty.
    connection = try Connection(path: "", mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192;
      CREATE TABLE touched (id INTEGER PRIMARY KEY, origin INTEGER, name BLOB, first INTEGER,
        last INTEGER, UNIQUE (origin, name));
      CREATE TABLE replaced (origin INTEGER, row INTEGER, PRIMARY KEY (origin, row)) WITHOUT ROWID;
      CREATE TABLE moved (origin INTEGER, row INTEGER, earlier INTEGER,
        PRIMARY KEY (origin, row)) WITHOUT ROWID;
      BEGIN;
      """
    )
    finding = try connection.prepare("SELECT id FROM touched WHERE origin = ?1 AND name = ?2")
    adding = try connection.prepare(
      "INSERT INTO touched (origin, name, first, last) VALUES (?1, ?2, ?3, ?4)"
    )
    changing = try connection.prepare("UPDATE touched SET last = ?2 WHERE id = ?1")
    replacing = try connection.prepare("INSERT INTO replaced VALUES (?1, ?2)")
    checking = try connection.prepare("SELECT 1 FROM replaced WHERE origin = ?1 AND row = ?2")
    moving = try connection.prepare("INSERT OR IGNORE INTO moved VALUES (?1, ?2, ?3)")
    findingMove = try connection.prepare("SELECT earlier FROM moved WHERE origin = ?1 AND row = ?2")
  }

  /// Notes an event of a row.
  ///
  /// `before` and `after` are the captured rows with the row's states before and after the event;
  /// nil if the row did not exist.
  func note(_ name: RowName, table: Int, before: Int64?, after: Int64?) throws {
    try finding.bind(1, Int64(table))
    try bind(finding, 2, name)
    let id = try finding.step() ? finding.int64(at: 0) : nil
    finding.reset()
    if let id {
      try changing.bind(1, id)
      try bind(changing, 2, after)
      return try changing.run()
    }
    try adding.bind(1, Int64(table))
    try bind(adding, 2, name)
    try bind(adding, 3, before)
    try bind(adding, 4, after)
    try adding.run()
  }

  private func bind(_ statement: Statement, _ index: Int32, _ name: RowName) throws {
    try name.bytes.withUnsafeBytes { try statement.bind(index, blob: $0) }
  }

  private func bind(_ statement: Statement, _ index: Int32, _ row: Int64?) throws {
    try statement.bind(index, row.map { .integer($0) } ?? .null)
  }

  /// Calls the closure with each row of the transaction, in the order of the rows' first events,
  /// and then removes all rows.
  func take(_ body: (Row) throws -> Void) throws {
    let reading = try connection.prepare(
      "SELECT origin, name, first, last FROM touched ORDER BY id"
    )
    while try reading.step() {
      guard let name = RowName(canonical: reading.bytes(at: 1)) else { continue }
      try body(
        Row(
          table: Int(reading.int64(at: 0)),
          name: name,
          first: reading.isNull(at: 2) ? nil : reading.int64(at: 2),
          last: reading.isNull(at: 3) ? nil : reading.int64(at: 3)
        )
      )
    }
    try connection.execute("DELETE FROM touched")
  }

  // MARK: Replaced rows

  /// Notes that `REPLACE` deleted a captured row.
  func noteReplaced(_ row: Int64, table: Int) throws {
    try replacing.bind(1, Int64(table))
    try replacing.bind(2, row)
    try replacing.run()
  }

  func isReplaced(_ row: Int64, table: Int) throws -> Bool {
    try checking.bind(1, Int64(table))
    try checking.bind(2, row)
    defer { checking.reset() }
    return try checking.step()
  }

  // MARK: The order of updates

  /// Notes that an update was before another event, although it was captured later.
  func noteMove(_ update: Int64, before event: Int64, table: Int) throws {
    hasMoves = true
    for (row, update) in [(event, update), (update, nil)] as [(Int64, Int64?)] {
      try moving.bind(1, Int64(table))
      try moving.bind(2, row)
      try bind(moving, 3, update)
      try moving.run()
    }
  }

  /// The update that was directly before an event, although it was captured later; nil if there is
  /// none.
  func update(movedBefore event: Int64, table: Int) throws -> Int64? {
    guard hasMoves else { return nil }
    try findingMove.bind(1, Int64(table))
    try findingMove.bind(2, event)
    defer { findingMove.reset() }
    return try findingMove.step() && !findingMove.isNull(at: 0) ? findingMove.int64(at: 0) : nil
  }

  /// Whether an update has an earlier place than its event.
  func isMoved(_ update: Int64, table: Int) throws -> Bool {
    guard hasMoves else { return false }
    try findingMove.bind(1, Int64(table))
    try findingMove.bind(2, update)
    defer { findingMove.reset() }
    return try findingMove.step() && findingMove.isNull(at: 0)
  }
}
