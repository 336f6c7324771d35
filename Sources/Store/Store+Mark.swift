extension Store {
  /// Writes a transaction without changes, which says that something was done to the store's
  /// history.
  ///
  /// - Parameters:
  ///   - operation: What kind of thing was done.
  ///   - author: Who did it.
  ///   - details: A canonical JSON object of what was done.
  /// - Returns: The id of the transaction.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func mark(
    _ operation: TransactionOperation,
    _ author: Author,
    details: String
  ) throws -> Int64 {
    try maintain { writer in
      let header = writer.recorder.header
      let next = try header.next()
      try header.insert(
        next.transaction,
        author,
        firstRow: next.change,
        count: 0,
        operation: operation,
        details: details
      )
      return next.transaction
    }
  }
}
