import Format
import SQLite

struct KnownObject {
  enum State: Int64 {
    case deleted
    /// Only some of the object's values are known.
    case partial
    /// All values and links of the object since its insertion are known.
    case whole
  }

  var state: State
  /// The values by JSON key, with links as lists; a key includes its quotes and the colon.
  var values: [[UInt8]: EncodedValue]
}

/// The values of all objects in history, in a temporary file.
final class KnownObjects {
  let connection: Connection
  private let reading: Statement
  private let writing: Statement

  init() throws {
    // If the path is empty, SQLite creates a temporary file and deletes it itself.
    connection = try Connection(path: "", mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;
      CREATE TABLE object (entity INTEGER, id, state INTEGER, json BLOB, special BLOB,
        large BLOB, PRIMARY KEY (entity, id)) WITHOUT ROWID;
      CREATE TABLE link (place INTEGER, holder INTEGER, target INTEGER,
        PRIMARY KEY (place, holder, target)) WITHOUT ROWID;
      CREATE INDEX link_target ON link (place, target);
      CREATE TABLE blob (sha256 TEXT PRIMARY KEY, rows INTEGER NOT NULL DEFAULT 0,
        history INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
      BEGIN;
      """
    )
    reading = try connection.prepare(
      "SELECT state, json, special, large FROM object WHERE entity = ?1 AND id = ?2"
    )
    writing = try connection.prepare(
      """
      INSERT OR REPLACE INTO object (entity, id, state, json, special, large)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """
    )
  }

  subscript(key: RowKey) -> KnownObject? {
    get throws { try row(of: key) { Self.object(at: $0, from: 0) } ?? nil }
  }

  private func bind(_ statement: Statement, _ id: ObjectID) throws {
    try statement.bind(2, Self.value(id))
  }

  private static func value(_ id: ObjectID) -> Value {
    id.text.map { .text($0) } ?? .integer(id.integer)
  }

  func contains(_ key: RowKey) throws -> Bool { try row(of: key) { _ in true } ?? false }

  /// Calls the closure with the state, the values, and the notes on values of an object; nil if the
  /// object is not known.
  func row<Result>(of key: RowKey, _ body: (Statement) throws -> Result) throws -> Result? {
    try reading.bind(1, Int64(key.entity.number))
    try bind(reading, key.id)
    defer { reading.reset() }
    return try reading.step() ? body(reading) : nil
  }

  func set(_ key: RowKey, object: KnownObject) throws {
    var side = ChangeSide()
    for (key, value) in object.values { side.append(key, value: value) }
    side.close()
    try set(
      key,
      state: object.state,
      json: side.json,
      special: side.special,
      large: side.large
    )
  }

  func set(
    _ key: RowKey,
    state: KnownObject.State,
    json: [UInt8],
    special: [UInt8] = [],
    large: [UInt8] = []
  ) throws {
    try writing.bind(1, Int64(key.entity.number))
    try bind(writing, key.id)
    try writing.bind(3, state.rawValue)
    for (index, text) in [json, special, large].enumerated() {
      try text.withUnsafeBytes { try writing.bind(Int32(index) + 4, blob: $0) }
    }
    try writing.run()
  }

  /// Forgets all objects, because changes of them are missing.
  func removeAll() throws { try connection.execute("DELETE FROM object; DELETE FROM link") }

  func all(of entity: EntityIndex) throws -> Statement {
    try connection.query(
      "SELECT id, state, json, special, large FROM object WHERE entity = ?1 ORDER BY id",
      values: [.integer(Int64(entity.number))]
    )
  }

  /// The number of rows that history knows completely.
  func wholeRows(of entity: EntityIndex) throws -> Int64 {
    try connection.integer(
      "SELECT count(*) FROM object WHERE entity = ?1 AND state = ?2",
      values: [.integer(Int64(entity.number)), .integer(KnownObject.State.whole.rawValue)]
    ) ?? 0
  }

  static func object(at row: Statement, from first: Int32) -> KnownObject? {
    guard let state = KnownObject.State(rawValue: row.int64(at: first)) else { return nil }
    let notes = ChangeNotes(
      special: Array(row.bytes(at: first + 2)),
      large: Array(row.bytes(at: first + 3))
    )
    return KnownObject(
      state: state,
      values: notes.valuesByKey(of: CanonicalText(row.bytes(at: first + 1)))
    )
  }

  // MARK: Large values

  /// Adds to the counts of the rows and the changes that need a large value.
  func count(_ digest: String, rows: Int64 = 0, history: Int64 = 0) throws {
    try connection.run(
      """
      INSERT INTO blob (sha256, rows, history) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE
        SET rows = rows + excluded.rows, history = history + excluded.history
      """,
      values: [.text(digest), .integer(rows), .integer(history)]
    )
  }

  func counts(of digest: String) throws -> (rows: Int64, history: Int64) {
    try connection.first(
      "SELECT rows, history FROM blob WHERE sha256 = ?1",
      values: [.text(digest)]
    ) {
      ($0.int64(at: 0), $0.int64(at: 1))
    } ?? (0, 0)
  }

  func digests() throws -> Statement { try connection.prepare("SELECT sha256 FROM blob") }

  func removeCounts() throws { try connection.execute("DELETE FROM blob") }
}

extension ObjectID {
  /// The id in the first column of a row, which is an integer or a canonical name.
  init(at row: Statement) {
    if row.type(at: 0) == .text, let name = RowName(canonical: row.bytes(at: 0)) {
      self.init(name)
    } else {
      self.init(row.int64(at: 0))
    }
  }
}
