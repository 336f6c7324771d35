import Changes
import SQLite

/// Erases the values of deleted objects from a store whose history keeps only tombstones.
final class Erasure {
  /// The index that finds the changes of an object.
  private static let index = "history_change_object"

  private let connection: Connection
  private let blobs: Blobs
  private let layouts: [EntityLayout]
  /// The history mode of the store: which values history keeps of deleted objects.
  private(set) var mode = HistoryMode.full
  /// Whether the write-ahead log may contain erased values.
  private var isLogUnclean = false
  /// Whether free pages of the file may contain erased values.
  private var isFileUnclean = false
  /// Whether unused bytes in pages of the file may contain erased values.
  private var arePagesUnclean = false
  /// The changed pages; nil if history keeps all values, and for a store in memory.
  private var changedPages: ChangedPages?
  private var hasErased = false

  init(_ connection: Connection, blobs: Blobs, layouts: [EntityLayout]) throws {
    self.connection = connection
    self.blobs = blobs
    self.layouts = layouts
    try refresh()
  }

  /// Reads the mode again, because another process may have changed it.
  func refresh() throws {
    mode = try Catalog.historyMode(on: connection)
    let isOn = mode == .tombstones
    // A process that ended before it emptied the log may have left old values there.
    isLogUnclean = isOn
    isFileUnclean = isOn
    arePagesUnclean = isOn
    if !isOn || connection.path == ":memory:" {
      changedPages = nil
    } else if changedPages == nil {
      changedPages = connection.watchPages()
    }
    try connection.execute("PRAGMA secure_delete = \(isOn ? "ON" : "OFF")")
  }

  /// Sets the requested mode of a store; nil keeps the present one.
  static func prepare(_ mode: HistoryMode?, on connection: Connection) throws {
    guard let mode, try Catalog.historyMode(on: connection) != mode else { return }
    try connection.inTransaction {
      try Catalog.set("history_mode", value: .text(mode.rawValue), on: connection)
      // Earlier changes may have left bytes in free pages.
      let history =
        "SELECT 1 FROM sqlite_sequence"
        + " WHERE name = '\(connection.tables.transaction)' AND seq > 0"
      if mode == .tombstones, try connection.hasRow(history) {
        try FreeSpace.note(.values, on: connection)
        try HistoryRows.forgetMarkSeeds(on: connection)
      }
      try connection.execute(
        mode == .tombstones
          ? "CREATE INDEX IF NOT EXISTS \(index) ON \(connection.tables.change) (object, entity)"
          : "DROP INDEX IF EXISTS \(index)"
      )
    }
  }

  /// Erases the values of an object from earlier transactions.
  func eraseEarlier(_ key: RowKey, before first: Int64) throws {
    guard mode == .tombstones else { return }
    if !hasErased { try FreeSpace.noteDeletion(on: connection) }
    hasErased = true
    // The object's entity may have changed, but not its family.
    let root = layouts[key.entity].ancestors.last ?? key.entity
    let names = layouts[root].family.map { layouts[$0].entity.name }
    try erase(
      key.id,
      condition: "object = ?1 AND \(isOne(of: names, column: "entity")) AND id < \(first)"
    ) { _, _, _ in true }
  }

  /// Erases values of an object from history, and returns the transactions that contained
  /// them.
  func erase(
    _ object: ObjectID,
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws -> Set<Int64> {
    try HistoryRows.forgetMarkSeeds(on: connection)
    return try erase(object, condition: "object = ?1", where: erases)
  }

  /// Erases values from the changes that meet a condition, and returns the transactions.
  @discardableResult
  private func erase(
    _ object: ObjectID,
    condition: String,
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws -> Set<Int64> {
    let rows = HistoryRows(connection)
    let reading = try connection.prepare(
      """
      SELECT kind, sequence, entity, object, changed, before, after, special, large,
        transaction_id, leaf, id FROM \(connection.tables.change) WHERE \(condition)
      """
    )
    try reading.bind(1, object.text.map { .text($0) } ?? .integer(object.integer))
    var transactions: Set<Int64> = []
    while try reading.step() {
      var change = try rows.change(at: reading)
      let id = reading.int64(at: 9)
      guard let transaction = try rows.transaction(id) else {
        throw rows.damaged(.missingTransaction(id))
      }
      let gone = try change.toldValues.filter {
        try !$0.isErased && erases(transaction, change, $0)
      }
      guard !gone.isEmpty else { continue }
      let leaf = try HiddenRow(connection, transaction).hide(change)
      try leaf.withUnsafeBytes {
        change.leaf = $0
        try write(change, id: reading.int64(at: 11)) { key, isAfter in
          gone.contains { $0.key == key && $0.isAfter == isAfter }
        }
      }
      transactions.insert(id)
    }
    return transactions
  }

  /// Replaces a change by the same one without the erased values.
  private func write(
    _ change: Change,
    id: Int64,
    _ erases: (_ key: [UInt8], _ isAfter: Bool) -> Bool
  ) throws {
    try change.withErased(erases) { erased in
      let old = digests(in: change.large)
      var kept = digests(in: erased.large)
      for digest in old {
        if let index = kept.firstIndex(of: digest) {
          kept.remove(at: index)
        } else {
          try blobs.count(digest, history: -1)
        }
      }
      let writing = try connection.cached(
        """
        UPDATE \(connection.tables.change)
        SET before = ?2, after = ?3, special = ?4, large = ?5, leaf = ?6
          WHERE id = ?1
        """
      )
      try writing.bind(1, id)
      try bind(writing, 2, Array(erased.before))
      try bind(writing, 3, Array(erased.after))
      try bind(writing, 4, Array(erased.special))
      try bind(writing, 5, Array(erased.large))
      try bind(writing, 6, Array(change.leaf))
      try writing.run()
    }
  }

  private func bind(_ statement: Statement, _ index: Int32, _ text: [UInt8]) throws {
    if text.isEmpty { return try statement.bindNull(index) }
    try text.withUnsafeBytes { try statement.bind(index, text: $0) }
  }

  /// Remembers that captured foreign changes may have left deleted values in the file.
  func noteForeignChanges() throws {
    guard mode == .tombstones, try FreeSpace.noteForeignChanges(on: connection) else { return }
    hasErased = true
  }

  /// Discards the state of a failed write.
  func abandon() { hasErased = false }

  /// Removes erased bytes from the file and from the write-ahead log, which still contains the old
  /// pages.
  ///
  /// The bytes can't be overwritten while another program writes or reads an older state. Then
  /// overwriting is tried again after the next write, and when the store is opened.
  func committed() {
    if hasErased {
      isLogUnclean = true
      isFileUnclean = true
      arePagesUnclean = true
    }
    hasErased = false
    guard isLogUnclean || isFileUnclean || arePagesUnclean, connection.path != ":memory:" else {
      return
    }
    // The write succeeded, so an error here is not reported; bytes that remain are removed later.
    try? withoutWaiting {
      if isFileUnclean {
        clearFreeSpace()
        isLogUnclean = true
      }
      if isLogUnclean || arePagesUnclean { try emptyLog() }
      if arePagesUnclean, !isLogUnclean, let changedPages {
        arePagesUnclean = try !changedPages.clearGaps()
      }
    }
  }

  private func withoutWaiting(_ body: () throws -> Void) throws {
    let timeout = connection.busyTimeout
    connection.setBusyTimeout(milliseconds: 0)
    defer { connection.setBusyTimeout(milliseconds: timeout) }
    try body()
  }

  private func clearFreeSpace() {
    do {
      try FreeSpace.clear(on: connection)
      isFileUnclean = false
    } catch SQLiteError.busy {
      // If a checkpoint is not possible now, it is tried again after the next write.
    } catch {
      // For example, the disk is full. Trying at each write would fill it each time, so it is tried
      // again after the next deletion, and when the store is opened.
      isFileUnclean = false
    }
  }

  private func emptyLog() throws {
    let statement = try connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
    if try statement.step() { isLogUnclean = statement.int64(at: 0) != 0 }
  }
}

extension HistoryMode {
  /// Whether history keeps the values of a column when their object is deleted.
  func keeps(_ column: EntityLayout.Column, of entity: Entity) -> Bool {
    guard self == .tombstones else { return true }
    guard case .attribute(let index) = column.content else { return false }
    return entity.attributes[index].preservesValueOnDeletion
  }
}

extension Catalog {
  /// The history mode of the store: which values history keeps of deleted objects.
  static func historyMode(on connection: Connection) throws -> HistoryMode {
    guard case .text(let name) = try value("history_mode", on: connection) else { return .full }
    return HistoryMode(rawValue: name) ?? .full
  }
}
