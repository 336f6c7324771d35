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
}
