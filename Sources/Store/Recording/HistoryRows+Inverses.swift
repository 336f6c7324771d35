import Format

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
        throw StoreError(.historyExpired, at: path) {
          "Transaction \(id) can't be reverted: it was deleted from the history of \(path)."
            + "\nRestore the store from a copy instead."
        }
      }
      guard transaction.operation != .migration else {
        throw migrated(id, by: id)
      }
      let changes = try changes(backwardsFrom: transaction)
      var count: Int64 = 0
      while try changes.step() {
        let change = try change(at: changes)
        guard !change.hasUnknownValues else { throw erased(id) }
        try change.withInverse { try body(id, $0) }
        count += 1
      }
      guard count == transaction.count else {
        throw damaged("changes of transaction \(id) are missing")
      }
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
      throw StoreError(.misuse, at: path) {
        "There \(range.lowerBound == range.upperBound ? "is" : "are") no"
          + " \(rangeText(range).lowercased()) in the store \(path), whose last transaction is"
          + " \(head)."
      }
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
        throw unreadableTransaction(transaction, error.message, at: path)
      }
    }
  }

  /// The error for a transaction that can't be reverted because of a migration.
  func migrated(_ id: Int64, by migration: Int64) -> StoreError {
    StoreError(.irreversible, at: path) {
      "Transaction \(id) of the store \(path) can't be reverted:"
        + " \(id == migration ? "it" : "transaction \(migration)") changed the schema."
    }
  }

  func erased(_ id: Int64) -> StoreError {
    StoreError(.irreversible, at: path) {
      "Some values of transaction \(id) of the store \(path) were erased or deleted, so this"
        + " transaction can't be reverted, and a new lineage can't contain it."
    }
  }

  /// The error for an undo that conflicts with later transactions before a given one.
  func undoConflict(
    _ range: ClosedRange<Int64>,
    _ conflicts: [UndoConflict],
    before end: Int64 = .max
  ) throws -> StoreError {
    let later = try transactions(after: range.upperBound, changing: conflicts.map(\.object))
      .filter { $0.id < end }
    let reasons = conflicts.map { conflict in
      let those = later.filter { $0.objects.contains { $0 == conflict.object } }
      return "\(conflict)\(inParentheses(those.map(\.id)))"
    }
    return StoreError(.undoConflict, at: path, items: conflicts) {
      "\(rangeText(range)) can't be undone in the store \(path) because later changes depend on"
        + " \(range.lowerBound == range.upperBound ? "it" : "them")"
        + "\(inParentheses(later.map(\.id))):\(items: reasons)"
    }
  }
}

/// The transactions as text in parentheses, such as “ (transactions 14 and 17)”; empty for an empty
/// list.
private func inParentheses(_ transactions: [Int64]) -> String {
  let ids = transactions.map(String.init)
  guard let last = ids.last, ids.count > 1 else {
    return ids.first.map { " (transaction \($0))" } ?? ""
  }
  guard ids.count <= 10 else { return " (transactions \(listText(ids)))" }
  return " (transactions \(ids.dropLast().joined(separator: ", ")) and \(last))"
}
