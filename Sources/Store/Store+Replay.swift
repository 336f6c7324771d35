import Format
import SQLite

extension Store {
  /// Runs a function that replays transactions of another store into this replica; if the function
  /// throws, nothing is written.
  ///
  /// - Parameters:
  /// - content: Returns the bytes of a large value by its SHA-256.
  /// - body: Replays any number of whole transactions.
  /// - Returns: The result of the body.
  /// - Throws: ``StoreError``, with ``StoreError/Code/replayMismatch`` if the replica's rows are
  ///   not those that the transactions expect.
  @discardableResult
  package func replay<Result>(
    content: @escaping (String) throws -> LargeValue,
    _ body: (Replayer) throws -> Result
  ) throws -> Result {
    try lock.withLock {
      guard isReplica else { throw notAReplica(at: location.path) }
      // A foreign writer can have left dangling links in the origin. Such links are replayed
      // unchanged.
      try writerConnection?.setForeignKeys(enforced: false)
      defer {
        do {
          try writerConnection?.setForeignKeys(enforced: true)
        } catch {
          // The call can't fail on an open connection, and a caller could not handle the error.
        }
      }
      return try inTransaction { writer, _ in
        let replayer = try self.replayer ?? Replayer(writer)
        self.replayer = replayer
        return try replayer.run(content: content, body)
      }
    }
  }

  /// Completes a replica of an adopted file after a replay.
  ///
  /// Creates the guards that refuse writes of programs, and the indexes that rows violated before. A
  /// replica of a store needs neither.
  ///
  /// - Returns: The unique indexes that the replica lacks, because the rows of its origin violate
  ///   them.
  package func completeReplica() throws -> [String] {
    guard isReplica, try StoreCapture.of(schema) == nil else { return [] }
    return try inTransaction { _, connection in
      try AdoptedReplica.installGuards(schema, on: connection)
      return try AdoptedReplica.createMissingIndexes(schema, on: connection)
        + RelaxedUnique.restore(schema, on: connection)
    }
  }

  /// Chooses whether a replay uses a write-ahead log, or writes directly to the file.
  ///
  /// With a write-ahead log, the pages of a large transaction are written twice: to the log, and
  /// later to the file. Without a log, the pages are written once. Commits are durable in both
  /// cases, because a journal keeps the old pages. But readers and writers must wait for each
  /// other, so only new replicas are written without a log. The next opening for writing turns the
  /// log on again. Nothing changes if the store is open elsewhere.
  @discardableResult
  package func setWriteAheadLog(isUsed: Bool) throws -> Bool {
    try lock.withLock {
      guard isReplica, isUsed != hasWriteAheadLog, let connection = writerConnection else {
        return isUsed == hasWriteAheadLog
      }
      connection.setBusyTimeout(.zero)
      defer { connection.setBusyTimeout(options.busyTimeout) }
      try describingErrors(at: location.path) {
        do {
          try connection.execute("PRAGMA journal_mode = \(isUsed ? "WAL" : "TRUNCATE")")
          hasWriteAheadLog = isUsed
        } catch SQLiteError.busy {
          // Another program has the store open, so the log remains in use. The replay is only
          // slower.
        }
      }
      return isUsed == hasWriteAheadLog
    }
  }
}
