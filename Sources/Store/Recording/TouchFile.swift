import Changes
import SQLite

/// The objects that a very large transaction changed earlier, in a temporary file.
///
/// A later entry for the same object replaces the earlier one.
final class TouchFile {
  private let connection: Connection
  private let reading: Statement
  private let writing: Statement
  /// The lowest and the highest id of each entity: what is written in the order of ids, as most is,
  /// need not be looked for.
  private var bounds: [ClosedRange<ObjectID>?]

  init(entities: Int) throws {
    // An empty name is a file that SQLite takes away itself.
    connection = try Connection(path: "", mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192;
      CREATE TABLE touch (entity INTEGER, id INTEGER, state INTEGER, PRIMARY KEY (entity, id))
        WITHOUT ROWID;
      BEGIN;
      """
    )
    reading = try connection.prepare("SELECT state FROM touch WHERE entity = ?1 AND id = ?2")
    writing = try connection.prepare("INSERT OR REPLACE INTO touch VALUES (?1, ?2, ?3)")
    bounds = Array(repeating: nil, count: entities)
  }

  /// The change that an object had when it was put aside.
  func touch(_ key: RowKey) throws -> Touch? {
    guard let bounds = bounds[key.entity], bounds.contains(key.id) else { return nil }
    try reading.bind(1, Int64(key.entity.number))
    try reading.bind(2, key.id.integer)
    defer { reading.reset() }
    return try reading.step() ? Touch(stored: reading.int64(at: 0)) : nil
  }

  /// Puts aside what a table has, and makes it empty.
  func take(_ table: inout TouchTable, entity: EntityIndex) throws {
    let states = table.sortedStates
    guard let first = states.first?.id, let last = states.last?.id else { return }
    try writing.bind(1, Int64(entity.number))
    for (id, state) in states {
      try writing.bind(2, id.integer)
      try writing.bind(3, state)
      try writing.run()
    }
    let known = bounds[entity] ?? first...last
    bounds[entity] = min(known.lowerBound, first)...max(known.upperBound, last)
    table.removeAll()
  }
}
