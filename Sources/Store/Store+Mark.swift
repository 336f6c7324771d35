import Changes

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
  package func mark(
    _ operation: TransactionOperation,
    author: Author,
    details: String
  ) throws -> Int64 {
    try maintain { writer in
      try writer.recorder.begin()
      try writer.recorder.close(author, operation: operation, details: details)
      return writer.recorder.transaction
    }
  }
}
