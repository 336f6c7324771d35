extension Reader {
  /// The last transaction that has its place in history for good; zero where there is none.
  ///
  /// What other programs wrote, and nobody has sealed yet, comes after it.
  package func sealedHead() throws -> Int64 { try history.range().head.transaction }

  /// The last transaction that was deleted from between others; nil where there is none.
  package func lastDeletedTransaction() throws -> Int64? {
    try connection.integer("SELECT max(id) FROM history_transaction WHERE state = 'deleted'")
  }

  /// The first transaction in a range that was deleted from between others; nil if none was.
  func firstDeletedTransaction(after first: Int64, through last: Int64) throws -> Int64? {
    try connection.integer(
      """
      SELECT id FROM history_transaction WHERE id > ?1 AND id <= ?2 AND state = 'deleted'
        ORDER BY id LIMIT 1
      """,
      .integer(first),
      .integer(last)
    )
  }
}
