import FoundationEssentials
import Glibc
import SQLite

extension Store {
  /// Whether there is no file, or one in which no store was created because its creation was
  /// interrupted.
  package static func isUnmade(_ file: URL) throws -> Bool {
    try isUnmadeStore(at: file.path(percentEncoded: false))
  }

  /// Deletes the files of a store that never had contents, unless another program has it open.
  ///
  /// Another program may have begun to fill it since.
  ///
  /// - Returns: Whether the files were deleted.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` if another program has it open.
  @discardableResult
  package static func removeUnused(_ file: URL) throws -> Bool {
    let path = file.path(percentEncoded: false)
    return try describingErrors(at: path) {
      let connection = try Connection(path: path, mode: .readWrite)
      // In this mode a transaction excludes all other connections.
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
      defer { connection.rollBack() }
      guard try HistoryRows(connection).range().head.transaction == 0 else { return false }
      // Closing must not delete new files with the same names.
      try connection.keepWriteAheadLogOnClose()
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
      rmdir(path + "-blobs")
      return true
    }
  }
}
