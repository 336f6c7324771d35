import FoundationEssentials
import Glibc
import SQLite

extension Store {
  /// Whether the file is missing, or contains no store because the creation was interrupted.
  package static func isUnmade(_ file: URL) throws -> Bool {
    try isUnmadeStore(at: file.path(percentEncoded: false))
  }

  /// Deletes the files of an empty store, unless another program has it open.
  ///
  /// Throws if the store is no longer empty, because another program may have filled it.
  ///
  /// - Returns: Whether the files were deleted.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` if another program has the store
  ///   open.
  @discardableResult
  package static func removeUnused(_ file: URL) throws -> Bool {
    let path = file.path(percentEncoded: false)
    return try describingErrors(at: path) {
      let connection = try Connection(path: path, mode: .readWrite)
      if let prefix = try AdoptedFile.prefix(on: connection) {
        try connection.useTables(prefix: prefix)
      }
      // In the locking mode EXCLUSIVE, the transaction excludes all other connections.
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
      defer { connection.rollBack() }
      guard try HistoryRows(connection).range().head.transaction == 0 else { return false }
      // Otherwise closing the connection would delete the write-ahead log. By then, the log could
      // belong to a new file with the same name.
      try connection.keepWriteAheadLogOnClose()
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
      rmdir(path + "-blobs")
      return true
    }
  }
}
