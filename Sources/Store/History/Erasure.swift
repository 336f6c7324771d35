import SQLite

/// Erases the values of deleted objects from a store whose history keeps tombstones alone.
final class Erasure {
  /// The index that finds the changes of an object.
  private static let index = "history_change_object"

  private let connection: Connection
  private let blobs: Blobs
  private let layouts: [EntityLayout]
  /// True where history keeps tombstones alone.
  private(set) var isOn = false
  /// True where something was erased since the write-ahead log was emptied last.
  private var isLogUnclean = false
  /// True where the free space of the file may hold what was erased.
  private var isFileUnclean = false
  private var hasErased = false

  init(_ connection: Connection, _ blobs: Blobs, _ layouts: [EntityLayout]) throws {
    self.connection = connection
    self.blobs = blobs
    self.layouts = layouts
    try refresh()
  }

  /// Reads the mode anew, which another process may have changed.
  func refresh() throws {
    isOn = try Catalog.historyMode(on: connection) == .tombstones
    // A process that ended in between may have left the log as it was.
    isLogUnclean = isOn
    isFileUnclean = isOn
    try connection.execute("PRAGMA secure_delete = \(isOn ? "ON" : "OFF")")
  }

  /// Gives a store the mode that was asked for; nil for the one that it has.
  static func prepare(_ mode: HistoryMode?, on connection: Connection) throws {
    guard let mode, try Catalog.historyMode(on: connection) != mode else { return }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      try Catalog.set("history_mode", .text(mode.rawValue), on: connection)
      // What was changed until now left its bytes.
      let hasHistory = try connection.prepare(
        "SELECT 1 FROM sqlite_sequence WHERE name = 'history_transaction' AND seq > 0"
      )
      if mode == .tombstones, try hasHistory.step() {
        try FreeSpace.note(.values, on: connection)
      }
      try connection.execute(
        mode == .tombstones
          ? "CREATE INDEX IF NOT EXISTS \(index) ON history_change (object, entity)"
          : "DROP INDEX IF EXISTS \(index)"
      )
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
  }

  /// True for a value that a deletion leaves in history.
  func keeps(_ column: EntityLayout.Column, of entity: Entity) -> Bool {
    guard isOn else { return true }
    guard case .attribute(let index) = column.content else { return false }
    return entity.attributes[index].preservesValueOnDeletion
  }

  /// Erases what earlier transactions say of an object.
  func eraseEarlier(_ key: RowKey, before first: Int64) throws {
    guard isOn else { return }
    if !hasErased { try FreeSpace.noteDeletion(on: connection) }
    hasErased = true
    // An object that is another kind of thing now was of its family before.
    let root = layouts[key.entity].ancestors.last ?? key.entity
    let names = layouts[root].family.map { layouts[$0].entity.name }
    let reading = try connection.prepare(
      """
      SELECT id, transaction_id, before, after, large FROM history_change
        WHERE object = ?1 AND \(isOne(of: names, "entity")) AND id < ?2
      """
    )
    try reading.bind(1, key.id)
    try reading.bind(2, first)
    while try reading.step() {
      for digest in digests(in: Array(reading.bytes(at: 4))) {
        try blobs.count(digest, history: -1)
      }
      try erase(
        reading.int64(at: 0),
        before: Array(reading.bytes(at: 2)),
        after: Array(reading.bytes(at: 3))
      )
      try mark(reading.int64(at: 1))
    }
  }

  private func erase(_ id: Int64, before: [UInt8], after: [UInt8]) throws {
    var special: [UInt8] = []
    let newAfter = erased(after, #""after":"#, &special)
    let newBefore = erased(before, #""before":"#, &special)
    if !special.isEmpty { special.append(UInt8(ascii: "}")) }
    let writing = try connection.cached(
      "UPDATE history_change SET before = ?2, after = ?3, special = ?4, large = NULL WHERE id = ?1"
    )
    try writing.bind(1, id)
    try bind(writing, 2, newBefore)
    try bind(writing, 3, newAfter)
    try bind(writing, 4, special)
    try writing.run()
  }

  private func bind(_ statement: Statement, _ index: Int32, _ text: [UInt8]) throws {
    if text.isEmpty { return try statement.bindNull(index) }
    try text.withUnsafeBytes { try statement.bind(index, text: $0) }
  }

  /// One side of a change with all values erased.
  private func erased(
    _ object: [UInt8],
    _ side: String,
    _ special: inout [UInt8]
  ) -> [UInt8] {
    guard !object.isEmpty else { return [] }
    var result = ChangeSide()
    for member in members(of: object) {
      // Links are lists; they name objects, and hold no value.
      if member.value.first == UInt8(ascii: "[") {
        result.append(member.key, EncodedValue(json: member.value))
      } else {
        result.append(member.key, .erased)
      }
    }
    result.close()
    if !result.special.isEmpty { appendMember(side.utf8, result.special, to: &special) }
    return result.json
  }

  private func mark(_ transaction: Int64) throws {
    let marking = try connection.cached(
      "UPDATE history_transaction SET state = 'erased', salt = X'' WHERE id = ?1"
    )
    try marking.bind(1, transaction)
    try marking.run()
  }

  /// Notes what others may have left in the file by what was caught of them.
  func noteForeignChanges() throws {
    guard isOn, try FreeSpace.noteForeignChanges(on: connection) else { return }
    hasErased = true
  }

  /// Forgets what a write did that failed.
  func abandon() { hasErased = false }

  /// Takes the bytes of what was erased out of the file, and out of the write-ahead log, which
  /// still has the pages with the values.
  ///
  /// While somebody else writes, or reads an older state, that can't be done; it is tried again
  /// after the next write, and when the store is opened.
  func committed() {
    if hasErased {
      isLogUnclean = true
      isFileUnclean = true
    }
    hasErased = false
    guard isLogUnclean || isFileUnclean, connection.path != ":memory:" else { return }
    // The write is done; what can't be taken out now is taken out later.
    try? withoutWaiting {
      if isFileUnclean {
        clearFreeSpace()
        isLogUnclean = true
      }
      if isLogUnclean { try emptyLog() }
    }
  }

  private func withoutWaiting(_ body: () throws -> Void) throws {
    let reading = try connection.prepare("PRAGMA busy_timeout")
    let timeout = try reading.step() ? Int(reading.int64(at: 0)) : 0
    reading.reset()
    connection.setBusyTimeout(milliseconds: 0)
    defer { connection.setBusyTimeout(milliseconds: timeout) }
    try body()
  }

  private func clearFreeSpace() {
    do {
      try FreeSpace.clear(on: connection)
      isFileUnclean = false
    } catch SQLiteError.busy {
      // After the next write.
    } catch {
      // Such as a full disk, which need not be filled at each write: it is tried again after the
      // next deletion, and when the store is opened.
      isFileUnclean = false
    }
  }

  private func emptyLog() throws {
    let statement = try connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
    if try statement.step() { isLogUnclean = statement.int64(at: 0) != 0 }
  }
}

extension Catalog {
  /// What the store's history keeps of deleted objects.
  static func historyMode(on connection: Connection) throws -> HistoryMode {
    guard case .text(let name) = try value("history_mode", on: connection) else { return .full }
    return HistoryMode(rawValue: name) ?? .full
  }
}
