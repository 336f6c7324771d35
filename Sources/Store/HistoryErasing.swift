import Format
import SQLite

extension Store {
  /// Erases values of an object from history; the digests of the transactions do not change.
  ///
  /// No byte of the values remains, because the file is rebuilt and the write-ahead log is emptied.
  /// Rows are not changed.
  ///
  /// - Parameters:
  /// - object: The id of the object.
  /// - erases: Returns whether a value is erased.
  /// - author: The author of the transactions that record the erasure.
  /// - recording: What is recorded about the erasure, and the restated lines of logs, to which the
  ///   lines of the store are added; nil to record nothing. A replica records nothing, and nothing is
  ///   recorded if earlier transactions restate all lines. If there are too many lines for one
  ///   transaction, several transactions record the erasure.
  /// - Returns: The number of transactions that contained the values.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` if another program uses the file.
  ///   After this error, history does not have the values, but the file may still contain their
  ///   bytes. Another call removes the bytes.
  @discardableResult
  package func eraseHistory(
    of object: ObjectID,
    author: Author = Author(),
    recording: (details: ErasureDetails, lines: RestatedLines)? = nil,
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws -> Int64 {
    let (count, connection) = try inTransaction { writer, connection in
      if !isReplica { try writer.seal() }
      try connection.execute("PRAGMA secure_delete = ON")
      var count: Int64 = 0
      var last: Int64?
      let restate = { (line: Restatement) in
        if line.transaction != last { count += 1 }
        last = line.transaction
        try recording?.lines.add(line)
      }
      try writer.recorder.erase(object, restate: restate, where: erases)
      // Free pages can have the values of history that was deleted earlier.
      if try count > 0 || HistoryRows(connection).lastPrune() != nil {
        try FreeSpace.note(.erased, on: connection)
      }
      if !isReplica, let (details, lines) = recording {
        var details = details
        // An interrupted run may already have recorded lines.
        try HistoryRows(connection).forEachRestatement { try lines.remove($0) }
        try lines.forEachPart(ofLines: RestatedRows.most) { part in
          details.restatements = part
          try writer.recorder.begin()
          try writer.recorder.close(author, operation: .erase, details: details.json)
        }
      }
      try writer.blobs.prepareToCommit()
      return (count, connection)
    }
    try removeErasedBytes(on: connection)
    return count
  }

  /// Removes the bytes of values that a replica has erased from its history, if the file may still
  /// contain such bytes.
  ///
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` if another program uses the file.
  ///   After this error, another call removes the bytes.
  package func removeErasedBytes() throws {
    try lock.withLock {
      guard let connection = writerConnection, try FreeSpace.hasErased(on: connection) else {
        return
      }
      try removeErasedBytes(on: connection)
    }
  }

  private func removeErasedBytes(on connection: Connection) throws {
    try describingErrors(at: location.path) {
      guard try FreeSpace.hasErased(on: connection) else {
        guard try emptyLog(connection) else {
          throw isInLog
        }
        return
      }
      // The catalog has the entry about erased values until the log is empty. So the next call tries
      // again.
      func clear() throws {
        try FreeSpace.clear(on: connection) {
          guard try emptyLog(connection) else {
            throw isInLog
          }
        }
        // Now the log contains only the removal of the entry, so a reader may keep it.
        _ = try emptyLog(connection)
      }
      try AdoptedFile.keepRowids(on: connection, while: clear)
    }
  }

  private var isInLog: StoreError {
    StoreError(.locked, at: location.path) {
      "The values are erased from the history of the store \(location.path), but the store's"
        + " write-ahead log still contains them, because another program is reading the store."
        + "\nErase the values again when the other program has finished."
    }
  }

  /// Empties the write-ahead log; the result is false if another program is reading the store.
  private func emptyLog(_ connection: Connection) throws -> Bool {
    let statement = try connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
    return try statement.step() && statement.int64(at: 0) == 0
  }
}
