import Changes

extension Store {
  /// Writes a transaction without changes, which records an operation on the store's history, and returns its id.
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
