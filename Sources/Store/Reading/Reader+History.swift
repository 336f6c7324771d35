import Format
import SQLite

extension Reader {
  /// Reads the transactions after `first`, up to `last`, or up to the head by default.
  ///
  /// - Throws: ``StoreError/Code/historyExpired`` if one of the transactions was deleted.
  package func history(after first: Int64 = 0, through last: Int64 = .max) throws -> HistoryCursor {
    let base = try history.base()
    guard first >= base.transaction else { throw try expired(first, base: base) }
    return try HistoryCursor(history, after: first, through: last)
  }

  package func historyRange() throws -> HistoryRange { try history.range() }

  /// The latest time of a transaction that was deleted from the beginning of history; nil if it is
  /// not known.
  package func baseTime() throws -> String? { try history.baseTime() }

  /// The first transaction after a time; nil if there is none.
  ///
  /// If a transaction after the time was deleted, the result is the last deleted transaction.
  package func firstTransaction(afterTime time: String) throws -> Int64? {
    if let latest = try history.baseTime(), latest > time { return try history.base().transaction }
    return try connection.integer(
      "SELECT min(id) FROM \(connection.tables.transaction) WHERE time > ?1",
      values: [.text(time)]
    )
  }

  /// The ids of the transactions that changed an object with this id and any entity, in ascending
  /// order.
  ///
  /// The function reads all changes, without their values: an index for it would make each save
  /// slower.
  package func transactions(changing object: ObjectID) throws -> [Int64] {
    try connection.all(
      "SELECT DISTINCT transaction_id FROM \(connection.tables.change)"
        + " WHERE object = ?1 ORDER BY transaction_id",
      values: [object.text.map { .text($0) } ?? .integer(object.integer)]
    ) { $0.int64(at: 0) }
  }

  /// A transaction without its changes; nil if history does not contain it.
  package func transaction(_ id: Int64) throws -> Transaction? {
    try history.transaction(id)
  }

  /// The point of a transaction.
  ///
  /// The id zero gives the point before the first transaction.
  ///
  /// - Throws: ``StoreError/Code/historyExpired`` if the transaction was deleted.
  package func point(_ id: Int64) throws -> HistoryPoint {
    let base = try history.base()
    guard let digest = try history.digest(of: id) else { throw try expired(id, base: base) }
    return HistoryPoint(lineage: base.lineage, transaction: id, digest: digest)
  }

  /// Checks that this history has every transaction after a point, up to another transaction.
  ///
  /// The transaction of the point itself can be a deleted one, because history keeps its digest.
  ///
  /// - Throws: ``StoreError/Code/historyExpired`` if one of the transactions was deleted, and
  ///   ``StoreError/Code/historyDiverged`` if the point belongs to another history.
  package func check(_ point: HistoryPoint, through last: Int64 = .max) throws {
    let range = try historyRange()
    guard point.lineage == range.head.lineage else {
      throw diverged {
        "the requested point is in lineage \(point.lineage), but the store has lineage"
          + " \(range.head.lineage)."
      }
    }
    guard point.transaction <= range.head.transaction else {
      throw diverged {
        "the requested point is transaction \(point.transaction), but the last transaction of the"
          + " store is \(range.head.transaction)."
      }
    }
    guard point.transaction >= range.base.transaction else {
      throw try expired(point.transaction + 1, base: range.base)
    }
    guard try history.digest(of: point.transaction) == point.digest else {
      throw diverged { "transaction \(point.transaction) has another digest." }
    }
    if let deleted = try firstDeletedTransaction(after: point.transaction, through: last) {
      throw try expired(deleted, base: range.base)
    }
  }

  /// The id of the last transaction.
  ///
  /// If history is empty, the result is the id of the last deleted transaction.
  package func lastTransaction() throws -> Int64 {
    try connection.integer("SELECT max(id) FROM \(connection.tables.transaction)")
      ?? history.base().transaction
  }

  /// The id of the last sealed transaction, which no later write can change; zero if there is none.
  package func sealedHead() throws -> Int64 { try history.range().head.transaction }

  /// The last transaction that recorded a deletion of older history; nil if there is none.
  package func lastPrune() throws -> Transaction? { try history.lastPrune() }

  /// The last transaction that was deleted from the middle of history; nil if there is none.
  package func lastDeletedTransaction() throws -> Int64? {
    try connection.integer(
      "SELECT max(id) FROM \(connection.tables.transaction) WHERE state = 'deleted'"
    )
  }

  /// The last transaction that was deleted from history; 0 if history is complete.
  package func lastMissingTransaction() throws -> Int64 {
    try max(historyRange().base.transaction, lastDeletedTransaction() ?? 0)
  }

  /// The first transaction in a range that was deleted from the middle of history; nil if there is
  /// none.
  func firstDeletedTransaction(after first: Int64, through last: Int64) throws -> Int64? {
    try connection.integer(
      """
      SELECT id FROM \(connection.tables.transaction)
        WHERE id > ?1 AND id <= ?2 AND state = 'deleted' ORDER BY id LIMIT 1
      """,
      values: [.integer(first), .integer(last)]
    )
  }

  private func expired(_ id: Int64, base: HistoryPoint) throws -> StoreError {
    let oldest = try historyRange().oldest
    return StoreError(.historyExpired, at: connection.path) {
      "Transaction \(id) was deleted from the history of the store \(connection.path), which begins"
        + " after transaction \(base.transaction)"
        + "; \(oldest.map { "the oldest kept transaction is \($0)" } ?? "no transaction is kept")."
    }
  }

  private func diverged(_ evidence: () -> Wording) -> StoreError {
    StoreError(.historyDiverged, at: connection.path) {
      "The store \(connection.path) was restored from an older copy or is another store: "
        + evidence()
    }
  }
}
