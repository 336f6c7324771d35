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
  /// - Returns: The number of transactions that contained the values.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` if another program uses the file:
  ///   history has lost the values then, but the file may still contain their bytes. Call it again
  ///   to remove them.
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
