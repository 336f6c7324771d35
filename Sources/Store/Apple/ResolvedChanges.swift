import Format
import SQLite

/// Which values of changes are still those of the rows, because no later change names them.
///
/// The changes wait in a temporary file, so that a history of any length needs little memory.
final class ResolvedChanges {
  enum Kind: Int64 {
    case insert, update, delete
    /// Nobody knows what the change changed.
    case unread
  }

  /// An object that existed before the first change that history has of it.
  struct Earlier {
    let entity: Int
    let id: Int64
    /// What no change of history names.
    let resolved: ColumnSet
  }

  private let file: Connection
  private let insertion: Statement
  private var finding: Statement?

  init() throws {
    file = try Connection(path: "", mode: .readWriteCreate)
    try file.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; BEGIN;
      CREATE TABLE touch (entity INTEGER, id INTEGER, place INTEGER, kind INTEGER, columns BLOB);
      CREATE TABLE resolved (place INTEGER PRIMARY KEY, columns BLOB);
      CREATE TABLE earlier (entity INTEGER, id INTEGER, columns BLOB);
      """
    )
    insertion = try file.prepare("INSERT INTO touch VALUES (?1, ?2, ?3, ?4, ?5)")
  }

  /// Adds a change, by its place in the order of history.
  func add(
    _ kind: Kind,
    _ place: Int64,
    entity: Int,
    id: Int64,
    columns: ColumnSet
  ) throws {
    try insertion.bind(1, Int64(entity))
    try insertion.bind(2, id)
    try insertion.bind(3, place)
    try insertion.bind(4, kind.rawValue)
    try insertion.bind(5, columns.data)
    try insertion.run()
  }

  /// Compares the changes of each object, the newest first.
  ///
  /// `counts` has the number of columns and lists of each entity. `isThere` says whether an object has
  /// a row, and is called in the order of entities and ids.
  func finish(counts: [Int], isThere: (_ entity: Int, _ id: Int64) throws -> Bool) throws {
    let rows = try file.prepare(
      "SELECT entity, id, place, kind, columns FROM touch ORDER BY entity, id, place DESC"
    )
    let resolving = try file.prepare("INSERT INTO resolved VALUES (?1, ?2)")
    let adding = try file.prepare("INSERT INTO earlier VALUES (?1, ?2, ?3)")
    var object: (entity: Int, id: Int64)?
    var seen = ColumnSet(count: 0)
    var isLive = false
    var oldest = Kind.insert
    func endObject() throws {
      guard let object, oldest != .insert else { return }
      let all = ColumnSet(count: counts[object.entity], isFull: true)
      try adding.bind(1, Int64(object.entity))
      try adding.bind(2, object.id)
      let rest = isLive ? all.subtracting(seen) : ColumnSet(count: counts[object.entity])
      try adding.bind(3, rest.data)
      try adding.run()
    }
    while try rows.step() {
      let (entity, id) = (Int(rows.int64(at: 0)), rows.int64(at: 1))
      if object?.entity != entity || object?.id != id {
        try endObject()
        object = (entity, id)
        seen = ColumnSet(count: counts[entity])
        isLive = try isThere(entity, id)
      }
      let kind = Kind(rawValue: rows.int64(at: 3)) ?? .unread
      let columns = ColumnSet(rows.bytes(at: 4))
      let resolved = isLive ? columns.subtracting(seen) : ColumnSet(count: 0)
      if kind == .delete { isLive = false }
      oldest = kind
      seen.formUnion(kind == .unread ? ColumnSet(count: counts[entity], isFull: true) : columns)
      guard kind != .delete, kind != .unread, !resolved.isEmpty else { continue }
      try resolving.bind(1, rows.int64(at: 2))
      try resolving.bind(2, resolved.data)
      try resolving.run()
    }
    try endObject()
  }

  /// What has the value of the row after the change at a place; nil if nothing has.
  func resolved(after place: Int64) throws -> ColumnSet? {
    let finding =
      try self.finding ?? file.prepare("SELECT columns FROM resolved WHERE place = ?1")
    self.finding = finding
    try finding.bind(1, place)
    defer { finding.reset() }
    return try finding.step() ? ColumnSet(finding.bytes(at: 0)) : nil
  }

  func hasEarlier() throws -> Bool { try file.hasRow("SELECT 1 FROM earlier LIMIT 1") }

  /// The objects that existed before their first change, in the order of entities and ids.
  func forEachEarlier(_ body: (Earlier) throws -> Void) throws {
    let rows = try file.prepare("SELECT entity, id, columns FROM earlier ORDER BY rowid")
    while try rows.step() {
      try body(
        Earlier(
          entity: Int(rows.int64(at: 0)),
          id: rows.int64(at: 1),
          resolved: ColumnSet(rows.bytes(at: 2))
        )
      )
    }
  }
}
