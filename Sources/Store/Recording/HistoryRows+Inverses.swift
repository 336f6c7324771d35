import Changes

extension HistoryRows {
  /// Calls with what takes each change of some transactions back, the newest first.
  ///
  /// - Throws: ``StoreError/Code/irreversible`` where one of them changed the schema, or where values
  ///   were erased, and ``StoreError/Code/historyExpired`` where one was deleted.
  func inverses(
    of range: ClosedRange<Int64>,
    _ body: (_ transaction: Int64, Change) throws -> Void
  ) throws {
    var id = range.upperBound
    while id >= range.lowerBound {
      guard let transaction = try transaction(id), transaction.state != .deleted else {
        throw StoreError(
          .historyExpired,
          "Transaction \(id) can't be taken back, because the history of the store \(path) does not"
            + " have it any more; restore the store from a copy instead.",
          path: path
        )
      }
      guard transaction.operation != .migration else {
        throw irreversible(id, "it gave the store another schema")
      }
      let changes = try changes(backwardsFrom: transaction)
      var count: Int64 = 0
      while try changes.step() {
        let change = try change(at: changes)
        guard !change.hasErasedValues else { throw irreversible(id, "values of it were erased") }
        try change.withInverse { try body(id, $0) }
        count += 1
      }
      guard count == transaction.count else {
        throw damaged("changes of transaction \(id) are missing")
      }
      id = (transaction.gap?.first ?? id) - 1
    }
  }

  private func irreversible(_ id: Int64, _ why: String) -> StoreError {
    StoreError(
      .irreversible,
      "Transaction \(id) of the store \(path) can't be taken back, because \(why). Take back only"
        + " what came after it.",
      path: path
    )
  }
}
