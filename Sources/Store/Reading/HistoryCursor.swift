import Changes
import SQLite

/// Goes through transactions in the order of their ids, and through the changes of each.
///
/// It holds one row at a time, and is to be used before its reader is given back or refreshed.
package final class HistoryCursor {
  private var rows: HistoryRows
  private var transactions: Statement
  private var changes: Statement?
  /// The id of the change that ``changes`` gives next.
  private var nextChangeID: Int64 = 0
  private var current: Transaction?
  private var remaining: Int64 = 0
  /// The id that the next transaction must have; nil where not all are asked for.
  private var expected: Int64?
  /// Where the transactions are that come after those that the store has.
  private var rest: (rows: HistoryRows, transactions: Statement)?

  init(
    _ rows: HistoryRows,
    _ unsealed: UnsealedHistory?,
    after first: Int64,
    through last: Int64
  ) throws {
    self.rows = rows
    transactions = try rows.transactions(after: first, through: last)
    expected = first + 1
    guard let unsealed else { return }
    let start = max(first, unsealed.sealed)
    rest = (unsealed.rows, try unsealed.rows.transactions(after: start, through: last))
  }

  init(
    _ rows: HistoryRows,
    _ unsealed: UnsealedHistory?,
    _ selection: HistorySelection
  ) throws {
    self.rows = rows
    transactions = try rows.transactions(selection)
    guard let unsealed else { return }
    var selection = selection
    selection.limit(toAfter: unsealed.sealed)
    rest = (unsealed.rows, try unsealed.rows.transactions(selection))
  }

  /// Goes to the next transaction; nil at the end.
  package func nextTransaction() throws -> Transaction? {
    guard try transactions.step() else {
      guard let rest else { return nil }
      self.rest = nil
      (rows, transactions) = rest
      changes = nil
      return try nextTransaction()
    }
    let transaction = try rows.transaction(at: transactions)
    if let expected {
      guard transaction.follows(expected) else {
        throw rows.damaged("transaction \(expected) is missing")
      }
      self.expected = transaction.id + 1
    }
    current = transaction
    remaining = transaction.state == .deleted ? 0 : transaction.count
    return transaction
  }

  /// Goes to the next change of the transaction; nil after its last.
  package func nextChange() throws -> Change? {
    guard remaining > 0, let current else { return nil }
    let id = current.firstChange + current.count - remaining
    if changes == nil || id != nextChangeID {
      changes = try rows.changes(from: id)
      nextChangeID = id
    }
    guard let changes, try changes.step(), changes.int64(at: 9) == current.id else {
      throw rows.damaged("changes of transaction \(current.id) are missing")
    }
    nextChangeID += 1
    remaining -= 1
    return try rows.change(at: changes)
  }
}

extension Reader {
  /// The transactions after one, up to another or to the head.
  ///
  /// - Throws: ``StoreError/Code/historyExpired`` where transactions between were deleted.
  package func history(after first: Int64 = 0, through last: Int64 = .max) throws -> HistoryCursor {
    let base = try history.base()
    guard first >= base.transaction else { throw try expired(first, base) }
    return try HistoryCursor(history, try unsealedHistory(), after: first, through: last)
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
      .text(time)
    )
  }

  /// The transactions that changed an object of some id, of any entity, in ascending order.
  ///
  /// The changes have no index by their object, which each save would pay for; but what stands
  /// before the values in their rows is all that is read of them.
  package func transactions(changing object: Int64) throws -> [Int64] {
    let find = try connection.prepare(
      "SELECT DISTINCT transaction_id FROM history_change WHERE object = ?1 ORDER BY transaction_id"
    )
    try find.bind(1, object)
    var result: [Int64] = []
    while try find.step() { result.append(find.int64(at: 0)) }
    guard let unsealed = try unsealedHistory(), let head = try unsealed.head() else {
      return result
    }
    return result + Array(unsealed.sealed + 1...head.transaction)
  }

  /// One transaction, without its changes; nil where history has none of that id.
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
    guard let digest = try rows(with: id).digest(of: id) else { throw try expired(id, base) }
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
      throw diverged(
        "the point is of lineage \(point.lineage), and the store has lineage \(range.head.lineage)"
      )
    }
    guard point.transaction <= range.head.transaction else {
      throw diverged(
        "the point is transaction \(point.transaction), and the store's last is"
          + " \(range.head.transaction)"
      )
    }
    guard point.transaction >= range.base.transaction else {
      throw try expired(point.transaction + 1, range.base)
    }
    guard try rows(with: point.transaction).digest(of: point.transaction) == point.digest else {
      throw diverged("transaction \(point.transaction) has another digest")
    }
    if let deleted = try firstDeletedTransaction(after: point.transaction, through: last) {
      throw try expired(deleted, range.base)
    }
  }

  private func expired(_ id: Int64, _ base: HistoryPoint) throws -> StoreError {
    let oldest = try historyRange().oldest
    let kept = oldest.map { "the oldest that is kept is \($0)" } ?? "none is kept"
    return StoreError(
      .historyExpired,
      "Transaction \(id) was deleted from the history of the store \(connection.path), which begins"
        + " after transaction \(base.transaction): \(kept). What happened between can't be told from"
        + " the history; read the whole state, and go on from there.",
      path: connection.path
    )
  }

  private func diverged(_ how: String) -> StoreError {
    StoreError(
      .historyDiverged,
      "The store \(connection.path) has another history than the one the point was taken from:"
        + " \(how). It was restored from an older copy, or is another store.",
      path: connection.path
    )
  }
}
