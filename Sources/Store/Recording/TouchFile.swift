import Format
import SQLite

/// A temporary file for the changed objects of a transaction that changes too many for memory.
///
/// If an object is added twice, the second entry replaces the first.
final class TouchFile {
  private let connection: Connection
  private let reading: Statement
  private let writing: Statement
  /// The lowest and the highest id of each entity.
  ///
  /// Most objects are inserted in the order of their ids. So an id is usually outside the bounds,
  /// and no lookup is needed.
  private var bounds: [ClosedRange<ObjectID>?]

  init(entities: Int) throws {
    // If the path is empty, SQLite creates a temporary file and deletes it itself.
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

  /// The change of an object in the file; nil if the file has none.
  func touch(_ key: RowKey) throws -> Touch? {
    guard let bounds = bounds[key.entity], bounds.contains(key.id) else { return nil }
    try reading.bind(1, Int64(key.entity.number))
    try reading.bind(2, key.id.integer)
    defer { reading.reset() }
    return try reading.step() ? Touch(stored: reading.int64(at: 0)) : nil
  }

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
