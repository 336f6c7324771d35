import Changes
import SQLite

extension Store {
  /// Erases values from history, which keeps the digests of their transactions.
  ///
  /// The file is rebuilt and the write-ahead log emptied, so that no byte of the values remains.
  /// Rows are not changed.
  ///
  /// - Parameters:
  ///   - object: The id of the object.
  ///   - erases: Tells whether a value goes.
  /// - Returns: The number of transactions whose values were erased.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` where somebody else uses the file, so
  ///   that it still has what the values left; erase them again then.
  @discardableResult
  package func eraseHistory(
    of object: Int64,
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws -> Int64 {
    let (count, connection) = try inTransaction { writer, connection in
      if !isReplica { try writer.seal() }
      try connection.execute("PRAGMA secure_delete = ON")
      let count = try writer.recorder.erase(object, where: erases)
      if count > 0 { try FreeSpace.note(.erased, on: connection) }
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
