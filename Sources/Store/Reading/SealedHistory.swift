extension Reader {
  /// The last transaction that has its place in history for good; zero where there is none.
  ///
  /// What other programs wrote, and nobody has sealed yet, comes after it.
  public func sealedHead() throws -> Int64 { try history.range().head.transaction }

  /// The last transaction that was deleted from between others; nil where there is none.
  public func lastDeletedTransaction() throws -> Int64? {
    let find = try connection.cached(
      "SELECT max(id) FROM history_transaction WHERE state = 'deleted'"
    )
    defer { find.reset() }
    return try find.step() && !find.isNull(at: 0) ? find.int64(at: 0) : nil
  }
}
