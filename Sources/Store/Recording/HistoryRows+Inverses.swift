import Changes

extension HistoryRows {
  /// Calls the closure with the inverse of each change of some transactions, from the last change
  /// to the first.
  ///
  /// - Throws: ``StoreError/Code/irreversible`` if one of the transactions changed the schema or
  ///   has erased values, and ``StoreError/Code/historyExpired`` if one of them was deleted.
  func inverses(
    of range: ClosedRange<Int64>,
    _ body: (_ transaction: Int64, Change) throws -> Void
  ) throws {
    var id = range.upperBound
    while id >= range.lowerBound {
      guard let transaction = try transaction(id), transaction.state != .deleted else {
        throw HistoryFailure.deleted(id).at(path)
      }
      guard transaction.operation != .migration else {
        throw HistoryFailure.migrated(id, by: id).at(path)
      }
      let changes = try changes(backwardsFrom: transaction)
      var count: Int64 = 0
      while try changes.step() {
        let change = try change(at: changes)
        guard !change.hasErasedValues else { throw HistoryFailure.erased(id).at(path) }
        try change.withInverse { try body(id, $0) }
        count += 1
      }
      guard count == transaction.count else { throw damaged(.missingChanges(of: id)) }
      id = (transaction.gap?.first ?? id) - 1
    }
  }

  /// Calls the closure with the inverse of each change of the transactions that an undo reverts.
  ///
  /// An undo works with the present schema. So neither the reverted transactions nor later ones, up
  /// to `last`, may have an operation in `obstacles`.
  func undo(
    _ range: ClosedRange<Int64>,
    obstacles: [TransactionOperation],
    through last: Int64 = .max,
    obstructed: (_ transaction: Int64) -> StoreError,
    _ body: (_ transaction: Int64, Change) throws -> Void
  ) throws {
    let head = try self.range().head.transaction
    guard range.upperBound <= head, range.lowerBound > 0 else {
      throw HistoryFailure.noTransactions(range, head: head).at(path)
    }
    let names = obstacles.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    let obstacle = try connection.integer(
      """
      SELECT id FROM \(tables.transaction)
        WHERE id >= ?1 AND id <= ?2 AND op IN (\(names)) ORDER BY id LIMIT 1
      """,
      values: [.integer(range.lowerBound), .integer(last)]
    )
    if let obstacle { throw obstructed(obstacle) }
    try inverses(of: range) { transaction, change in
      do {
        try body(transaction, change)
      } catch let error as CanonicalEncodingError {
        throw damaged(.unreadable(transaction, error.message))
      }
    }
  }
}
