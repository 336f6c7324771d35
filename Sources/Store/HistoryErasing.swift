import Changes
import SQLite

extension Store {
  /// Erases values of an object from history; the digests of the transactions do not change.
  ///
  /// The file is rebuilt and the write-ahead log emptied, so that no byte of the values remains.
  /// Rows are not changed.
  ///
  /// - Parameters:
  /// - object: The id of the object.
  /// - erases: Returns whether a value is erased.
  /// - author: The author of the transaction that records the erasure.
  /// - details: Returns the details of that transaction, from what remains of the store's own
  ///   transactions; nil if nothing is to be recorded. A replica records nothing.
  /// - Returns: The number of transactions that contained the values.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` if another program uses the file:
  ///   history has lost the values then, but the file may still contain their bytes. Call it again
  ///   to remove them.
  @discardableResult
  package func eraseHistory(
    of object: ObjectID,
    author: Author = Author(),
    details: ([Restatement]) throws -> String? = { _ in nil },
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws -> Int64 {
    // Removing the bytes rebuilds the file, which renumbers rows of tables without a key.
    try refuseIfAdopted("erasing from its history")
    let (count, connection) = try inTransaction { writer, connection in
      if !isReplica { try writer.seal() }
      try connection.execute("PRAGMA secure_delete = ON")
      let erased = try writer.recorder.erase(object, where: erases)
      let count = Int64(erased.count)
      if count > 0 { try FreeSpace.note(.erased, on: connection) }
      if !isReplica, let details = try details(HistoryRows(connection).restatements(of: erased)) {
        try writer.recorder.begin()
        try writer.recorder.close(author, operation: .erase, details: details)
      }
      try writer.blobs.prepareToCommit()
      return (count, connection)
    }
    try describingErrors(at: location.path) {
      try FreeSpace.clear(on: connection)
      let statement = try connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
      guard try statement.step(), statement.int64(at: 0) == 0 else {
        throw FileFailure.erasedButInLog.at(location.path)
      }
    }
    return count
  }
}
