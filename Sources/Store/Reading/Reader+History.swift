import Changes
import SQLite

extension Reader {
  /// The transactions after one, up to another or to the head.
  ///
  /// - Throws: ``StoreError/Code/historyExpired`` where transactions between were deleted.
  package func history(after first: Int64 = 0, through last: Int64 = .max) throws -> HistoryCursor {
    let base = try history.base()
    guard first >= base.transaction else { throw try expired(first, base: base) }
    return try HistoryCursor(history, unsealed: try unsealedHistory(), after: first, through: last)
  }

  /// How far the history reaches.
  package func historyRange() throws -> HistoryRange {
    var range = try history.range()
    guard let head = try unsealedHistory()?.head() else { return range }
    range.oldest = range.oldest ?? range.head.transaction + 1
    range.head = head
    return range
  }

  /// The latest time of the transactions before those that history has; nil if it is not known.
  package func baseTime() throws -> String? { try history.baseTime() }

  /// The first transaction whose time is later than a given one; nil if there is none.
  ///
  /// If one of those that history no longer has was later, it is the last of them.
  package func firstTransaction(afterTime time: String) throws -> Int64? {
    if let latest = try history.baseTime(), latest > time { return try history.base().transaction }
    return try connection.integer(
      "SELECT min(id) FROM history_transaction WHERE time > ?1",
      values: [.text(time)]
    )
  }

  /// The transactions that changed an object of some id, of any entity, in ascending order.
  ///
  /// The changes have no index by their object, which each save would pay for; but what stands
  /// before the values in their rows is all that is read of them.
  package func transactions(changing object: Int64) throws -> [Int64] {
    let result = try connection.all(
      "SELECT DISTINCT transaction_id FROM history_change WHERE object = ?1 ORDER BY transaction_id",
      values: [.integer(object)]
    ) { $0.int64(at: 0) }
    guard let unsealed = try unsealedHistory(), let head = try unsealed.head() else {
      return result
    }
    return result + Array(unsealed.sealed + 1...head.transaction)
  }

  /// One transaction, without its changes; nil if history has none of that id.
  package func transaction(_ id: Int64) throws -> Transaction? {
    try rows(with: id).transaction(id)
  }

  /// The rows that a transaction is among, if there is one with that id.
  func rows(with id: Int64) throws -> HistoryRows {
    guard let unsealed = try unsealedHistory(), id > unsealed.sealed else { return history }
    return unsealed.rows
  }

  /// The point that a transaction makes, zero for the beginning.
  ///
  /// - Throws: ``StoreError/Code/historyExpired`` where it was deleted.
  package func point(_ id: Int64) throws -> HistoryPoint {
    let base = try history.base()
    guard let digest = try rows(with: id).digest(of: id) else { throw try expired(id, base: base) }
    return HistoryPoint(lineage: base.lineage, transaction: id, digest: digest)
  }

  /// Makes sure that this history has every transaction after a point, up to another.
  ///
  /// The point's own transaction may have been deleted: history keeps its digest.
  ///
  /// - Throws: ``StoreError/Code/historyExpired`` if one of those transactions was deleted, and
  ///   ``StoreError/Code/historyDiverged`` if this is another history than the point's.
  package func check(_ point: HistoryPoint, through last: Int64 = .max) throws {
    let range = try historyRange()
    guard point.lineage == range.head.lineage else {
      throw failure(.otherLineage(point.lineage, storeLineage: range.head.lineage))
    }
    guard point.transaction <= range.head.transaction else {
      throw failure(.beyondHead(point.transaction, head: range.head.transaction))
    }
    guard point.transaction >= range.base.transaction else {
      throw try expired(point.transaction + 1, base: range.base)
    }
    guard try rows(with: point.transaction).digest(of: point.transaction) == point.digest else {
      throw failure(.otherDigest(point.transaction))
    }
    if let deleted = try firstDeletedTransaction(after: point.transaction, through: last) {
      throw try expired(deleted, base: range.base)
    }
  }

  /// The id of the last transaction, sealed or not; that of the last one deleted where none is kept.
  package func lastTransaction() throws -> Int64 {
    if case .unsealed = head, let unsealed = try unsealedHistory()?.head() {
      return unsealed.transaction
    }
    return try connection.integer("SELECT max(id) FROM history_transaction")
      ?? history.base().transaction
  }

  /// The last transaction that has its place in history for good; zero where there is none.
  ///
  /// What other programs wrote, and nobody has sealed yet, comes after it.
  package func sealedHead() throws -> Int64 { try history.range().head.transaction }

  /// The last transaction that was deleted from between others; nil if there is none.
  package func lastDeletedTransaction() throws -> Int64? {
    try connection.integer("SELECT max(id) FROM history_transaction WHERE state = 'deleted'")
  }

  /// The first transaction in a range that was deleted from between others; nil if none was.
  func firstDeletedTransaction(after first: Int64, through last: Int64) throws -> Int64? {
    try connection.integer(
      """
      SELECT id FROM history_transaction WHERE id > ?1 AND id <= ?2 AND state = 'deleted'
        ORDER BY id LIMIT 1
      """,
      values: [.integer(first), .integer(last)]
    )
  }

  private func expired(_ id: Int64, base: HistoryPoint) throws -> StoreError {
    let oldest = try historyRange().oldest
    return failure(.expired(id, base: base.transaction, oldest: oldest))
  }

  private func failure(_ reason: HistoryFailure) -> StoreError {
    StoreError(reason, path: connection.path)
  }
}
