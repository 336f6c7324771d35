import Changes

extension Store {
  /// Records an operation on the store's history as a transaction without changes, and returns its id.
  ///
  /// The details are a canonical JSON object.
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
