import Format
import SQLite

/// Reverts the rows of a copy to the state after an earlier transaction, in the writer's open
/// transaction.
func takeBack(
  _ writer: Writer,
  to transaction: Int64,
  _ tick: () throws -> Void
) throws {
  let connection = writer.connection
  let rows = HistoryRows(connection)
  var position = try rows.range().head.transaction
  if case .integer(let rewound) = try Catalog.value("rewound", on: connection) {
    position = rewound
  }
  guard (0...position).contains(transaction) else {
    throw StoreError(.misuse, at: connection.path) {
      "The store \(connection.path) is at transaction \(position) and can't be reverted to"
        + " \(transaction)."
    }
  }
  try checkIsOutsideGaps(transaction, rows: rows)
  try Replayer(writer).run(content: { try writer.blobs.content($0) }) { replayer in
    guard transaction < position else { return }
    try rows.inverses(of: transaction + 1...position) {
      try replayer.takeBack($1, of: $0)
      try tick()
    }
    try replayer.endTakingBack()
  }
  try Catalog.set("replica", value: .integer(1), on: connection)
  try Catalog.set("rewound", value: .integer(transaction), on: connection)
}

/// Throws if the transaction is inside a gap, which can only be reverted as a whole.
func checkIsOutsideGaps(_ transaction: Int64, rows: HistoryRows) throws {
  let following = try rows.transactions(after: transaction, through: .max)
  defer { following.reset() }
  guard try following.step() else { return }
  let next = try rows.transaction(at: following)
  guard let first = next.gap?.first, first <= transaction else { return }
  throw StoreError(.historyExpired, at: rows.path) {
    "The store \(rows.path) does not have the state after transaction \(transaction): one gap has"
      + " the changes of transactions \(first) to \(next.id) together.\n"
  }
}
