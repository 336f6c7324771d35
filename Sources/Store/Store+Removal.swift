import FoundationEssentials
import Glibc
import SQLite

extension Store {
  /// Whether there is no file, or one in which no store was created yet, because the program that began
  /// to create it was stopped.
  package static func isUnmade(_ file: URL) throws -> Bool {
    try isUnmadeStore(at: file.path(percentEncoded: false))
  }

  /// Takes the files of a store away that nothing ever came into, unless somebody has it open.
  ///
  /// Whoever was to fill it may have failed, and another program begun to do so meanwhile.
  ///
  /// - Returns: Whether it is gone.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` where somebody has it open.
  @discardableResult
  package static func removeUnused(_ file: URL) throws -> Bool {
    let path = file.path(percentEncoded: false)
    return try describingErrors(at: path) {
      let connection = try Connection(path: path, mode: .readWrite)
      // In this mode there is no other connection while there is a transaction.
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
      defer { connection.rollBack() }
      guard try HistoryRows(connection).range().head.transaction == 0 else { return false }
      // Closing must not touch files that get their names anew.
      try connection.keepWriteAheadLogOnClose()
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
      rmdir(path + "-blobs")
      return true
    }
  }
}
