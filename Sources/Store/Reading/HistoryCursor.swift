import Format
import SQLite

/// Reads transactions in the order of their ids, and the changes of each, one row at a time.
///
/// A cursor must not be used after its reader was given back or refreshed.
package final class HistoryCursor {
  private let rows: HistoryRows
  private let transactions: Statement
  private var changes: Statement?
  private var nextChangeID: Int64 = 0
  private var current: Transaction?
  private var remaining: Int64 = 0
  /// The id that the next transaction must have; nil for a selection, because it may skip ids.
  private var expected: Int64?

  init(_ rows: HistoryRows, after first: Int64, through last: Int64) throws {
    self.rows = rows
    transactions = try rows.transactions(after: first, through: last)
    expected = first + 1
  }

  init(_ rows: HistoryRows, selection: HistorySelection) throws {
    self.rows = rows
    transactions = try rows.transactions(selection)
  }

  /// Reads the next transaction; nil at the end.
  package func nextTransaction() throws -> Transaction? {
    guard try transactions.step() else { return nil }
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

  /// Reads the next change of the transaction; nil after the last change.
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
