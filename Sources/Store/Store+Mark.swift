import Format

extension Store {
  /// Records an operation on the store's history as a transaction without changes, and returns its id.
  ///
  /// The details are a canonical JSON object. If the details name a snapshot, `stamp` is the stamp
  /// of the snapshot. With the seed in the stamp, the same snapshot can be made again later.
  @discardableResult
  package func mark(
    _ operation: TransactionOperation,
    author: Author,
    details: String,
    stamp: Provenance.Stamp? = nil
  ) throws -> Int64 {
    try maintain { writer in
      try writer.recorder.begin()
      try writer.recorder.mark(author, operation: operation, details: details, stamp: stamp)
      return writer.recorder.transaction
    }
  }
}
