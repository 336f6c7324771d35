import Format
import FoundationEssentials
import SQLite

extension Store {
  /// Deletes transactions from history.
  ///
  /// Transactions at the beginning of history are removed. If a deleted transaction is between
  /// others, history keeps its row and its digest. Each batch is one short SQL transaction, so that
  /// other programs can write between the batches. An interrupted run has deleted the oldest
  /// batches. The file becomes smaller.
  ///
  /// - Parameter ranges: The ids to delete, in ascending order.
  /// - Returns: The number of deleted transactions.
  /// - Throws: ``StoreError``. Batches that were deleted before the error remain deleted.
  @discardableResult
  package func deleteHistory(_ ranges: [ClosedRange<Int64>]) throws -> Int64 {
    var deleted: Int64 = 0
    for range in ranges {
      var next = range.lowerBound
      try takeTurns { writer in
        let done = try HistoryDeletion(writer).deleteBatch(next...range.upperBound)
        deleted += done.count
        guard let last = done.last else { return false }
        next = last + 1
        return next <= range.upperBound
      }
    }
    try giveSpaceBack()
    return deleted
  }

  /// Deletes the transactions at the beginning of history that are older than a time.
  ///
  /// The range ends before the first transaction that is not older, although older transactions can
  /// follow if a clock was set back.
  @discardableResult
  package func deleteHistory(before time: Date) throws -> Int64 {
    let limit = timeText(time)
    let last = try read {
      try $0.connection.integer(
        """
        SELECT coalesce(
          (SELECT id - 1 FROM \($0.connection.tables.transaction) WHERE time >= ?1
            ORDER BY id LIMIT 1),
          (SELECT max(id) FROM \($0.connection.tables.transaction)))
        """,
        values: [.text(limit)]
      )
    }
    guard let last, last > 0 else { return 0 }
    return try deleteHistory([1...last])
  }

  /// Returns free pages to the file system, a few at a time.
  ///
  /// The function does nothing for an adopted file, because another program chose the `auto_vacuum`
  /// mode of the file.
  private func giveSpaceBack() throws {
    guard !schema.belongsToProgram else { return }
    try takeTurns { writer in
      func free() throws -> Int64 {
        try writer.connection.integer("PRAGMA freelist_count") ?? 0
      }
      let count = try free()
      guard count > 0 else { return false }
      try writer.connection.execute("PRAGMA incremental_vacuum(1000)")
      // If no page was freed, the store does not have the mode `auto_vacuum`, and the loop ends.
      let left = try free()
      return left > 0 && left < count
    }
  }
}

struct HistoryDeletion {
  /// The maximum number of ids in a batch.
  private static let batch: Int64 = 5000

  private let writer: Writer
  private let rows: HistoryRows

  init(_ writer: Writer) {
    self.writer = writer
    rows = HistoryRows(writer.connection)
  }

  private var connection: Connection { writer.connection }

  /// Deletes the first transactions in a range, at least one and for about as long as the turn;
  /// returns the id of the last one, and the number of deleted transactions.
  func deleteBatch(
    _ range: ClosedRange<Int64>,
    turn: Duration = Store.turn
  ) throws -> (last: Int64?, count: Int64) {
    // The digest of the last transaction must be computed before its changes are deleted.
    try writer.recorder.sealLast()
    let oldest = try connection.integer("SELECT min(id) FROM \(connection.tables.transaction)") ?? 0
    let found = try rows.transactions(after: range.lowerBound - 1, through: range.upperBound)
    let end = ContinuousClock.now + turn
    var deleted: [Transaction] = []
    var last: Int64?
    while last.map({ $0 - range.lowerBound < Self.batch && ContinuousClock.now < end }) ?? true,
      try found.step()
    {
      let transaction = try rows.transaction(at: found)
      last = transaction.id
      guard transaction.state != .deleted else { continue }
      deleted.append(transaction)
      try deleteChanges(of: transaction)
    }
    found.reset()
    if let last, range.lowerBound <= oldest {
      try moveBase(to: last)
    } else {
      for transaction in deleted { try mark(transaction) }
    }
    return (last, Int64(deleted.count))
  }

  /// Deletes all transactions up to an id, because the base of history replaces them.
  func deleteAll(through id: Int64) throws {
    // The ids of changes rise with the ids of their transactions, so the changes with ids below
    // `end` are deleted.
    let end = try connection.integer(
      "SELECT first_change FROM \(connection.tables.transaction) WHERE id > ?1 AND changes > 0"
        + " ORDER BY id LIMIT 1",
      values: [.integer(id)]
    )
    try deleteChanges("id < ?1") { try $0.bind(1, end ?? .max) }
    try removeTransactions(through: id)
  }

  /// Removes the rows of the first transactions, and records the latest time of these transactions.
  private func removeTransactions(through id: Int64) throws {
    let query = "SELECT max(time) FROM \(connection.tables.transaction) WHERE id <= ?1"
    let latest = try connection.first(query, values: [.integer(id)]) {
      $0.isNull(at: 0) ? nil : $0.string(at: 0)
    }
    if let latest {
      try HistoryRows.setBaseTime(max(latest, rows.baseTime() ?? ""), on: connection)
    }
    try connection.run(
      "DELETE FROM \(connection.tables.transaction) WHERE id <= ?1",
      values: [.integer(id)]
    )
  }

  private func deleteChanges(of transaction: Transaction) throws {
    try deleteChanges("id >= ?1 AND id < ?2 AND transaction_id = ?3") { statement in
      try statement.bind(1, transaction.firstChange)
      try statement.bind(2, transaction.firstChange + transaction.count)
      try statement.bind(3, transaction.id)
    }
  }

  /// Deletes the changes in a range, and subtracts their uses of large values from the counts of
  /// uses.
  private func deleteChanges(_ range: String, _ bind: (Statement) throws -> Void) throws {
    let large = try connection.cached(
      "SELECT large FROM \(connection.tables.change) WHERE \(range) AND large IS NOT NULL"
    )
    try bind(large)
    defer { large.reset() }
    while try large.step() {
      for digest in digests(in: large.bytes(at: 0)) { try writer.blobs.count(digest, history: -1) }
    }
    let removal = try connection.cached("DELETE FROM \(connection.tables.change) WHERE \(range)")
    try bind(removal)
    try removal.run()
  }

  /// Sets the base to a transaction, or to the last of the deleted transactions that follow it.
  private func moveBase(to id: Int64) throws {
    let kept = try connection.integer(
      "SELECT id FROM \(connection.tables.transaction)"
        + " WHERE id > ?1 AND state <> 'deleted' ORDER BY id LIMIT 1",
      values: [.integer(id)]
    )
    let last = try kept.map { $0 - 1 } ?? rows.range().head.transaction
    guard let digest = try rows.digest(of: last) else {
      throw rows.damaged("transaction \(last) is missing")
    }
    let lineage = try rows.base().lineage
    try HistoryRows.setBase(
      HistoryPoint(lineage: lineage, transaction: last, digest: digest),
      on: connection
    )
    try removeTransactions(through: last)
  }

  private func mark(_ transaction: Transaction) throws {
    try connection.run(
      """
      UPDATE \(connection.tables.transaction) SET state = 'deleted', author = NULL, reason = NULL,
        request = NULL, process = '', process_id = 0, host = '', bundle = NULL, seed = X'',
        details = NULL WHERE id = ?1
      """,
      values: [.integer(transaction.id)]
    )
  }
}
