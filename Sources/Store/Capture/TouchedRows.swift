import Format
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
    let first: CapturedReference?
    /// The captured row with the values after the transaction; nil if the row was deleted.
    let last: CapturedReference?
    /// Whether the row was deleted, and a row with its name was inserted later.
    let isReplaced: Bool
  }

  private let connection: Connection
  private let finding: Statement
  private let adding: Statement
  private let changing: Statement
  private let reading: Statement
  private let removing: Statement

  init() throws {
    // SQLite creates and removes a temporary file if the path is empty.
    connection = try Connection(path: "", mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192;
      CREATE TABLE touched (id INTEGER PRIMARY KEY, origin INTEGER, name BLOB, statement INTEGER,
        first INTEGER, last INTEGER, is_deleted INTEGER DEFAULT 0, UNIQUE (origin, name));
      BEGIN;
      """
    )
    finding = try connection.prepare(
      "SELECT id, statement FROM touched WHERE origin = ?1 AND name = ?2"
    )
    adding = try connection.prepare(
      """
      INSERT INTO touched (origin, name, statement, first, last, is_deleted)
        VALUES (?1, ?2, ?3, ?4, ?5, ?5 IS NULL)
      """
    )
    changing = try connection.prepare(
      """
      UPDATE touched SET last = ?2, statement = ?3, is_deleted = is_deleted OR ?2 IS NULL
        WHERE id = ?1
      """
    )
    reading = try connection.prepare(
      "SELECT origin, name, first, last, is_deleted FROM touched WHERE statement < ?1 ORDER BY id"
    )
    removing = try connection.prepare("DELETE FROM touched WHERE statement < ?1")
  }

  private func find(_ name: RowName, table: Int) throws -> (id: Int64, statement: Int64)? {
    try finding.bind(1, Int64(table))
    try bind(finding, 2, name)
    defer { finding.reset() }
    return try finding.step() ? (finding.int64(at: 0), finding.int64(at: 1)) : nil
  }

  /// Whether a statement before the given one changed a row.
  func contains(_ name: RowName, table: Int, before statement: Int64) throws -> Bool {
    try find(name, table: table).map { $0.statement < statement } ?? false
  }

  /// Notes an event of a row.
  ///
  /// `before` and `after` are the captured rows with the row's states before and after the event;
  /// nil if the row did not exist.
  func note(
    _ name: RowName,
    table: Int,
    statement: Int64,
    before: CapturedReference?,
    after: CapturedReference?
  ) throws {
    if let (id, _) = try find(name, table: table) {
      try changing.bind(1, id)
      try bind(changing, 2, after)
      try changing.bind(3, statement)
      return try changing.run()
    }
    try adding.bind(1, Int64(table))
    try bind(adding, 2, name)
    try adding.bind(3, statement)
    try bind(adding, 4, before)
    try bind(adding, 5, after)
    try adding.run()
  }

  private func bind(_ statement: Statement, _ index: Int32, _ name: RowName) throws {
    try name.bytes.withUnsafeBytes { try statement.bind(index, blob: $0) }
  }

  private func bind(_ statement: Statement, _ index: Int32, _ row: CapturedReference?) throws {
    try statement.bind(index, row.map { .integer($0.number) } ?? .null)
  }

  /// Calls the closure with each row that only statements before the given one changed, in the
  /// order of the rows' first events, and then removes these rows.
  func take(before statement: Int64 = .max, _ body: (Row) throws -> Void) throws {
    try reading.bind(1, statement)
    defer { reading.reset() }
    func reference(_ column: Int32) -> CapturedReference? {
      reading.isNull(at: column) ? nil : CapturedReference(number: reading.int64(at: column))
    }
    while try reading.step() {
      guard let name = RowName(canonical: reading.bytes(at: 1)) else { continue }
      try body(
        Row(
          table: Int(reading.int64(at: 0)),
          name: name,
          first: reference(2),
          last: reference(3),
          isReplaced: reading.int64(at: 4) != 0 && !reading.isNull(at: 2) && !reading.isNull(at: 3)
        )
      )
    }
    reading.reset()
    try removing.bind(1, statement)
    try removing.run()
  }
}
