import Format
import SQLite

/// Removes the bytes of erased values from a store's file and from its write-ahead log.
///
/// SQLite removes a row, but its bytes can stay in the log, in free pages, and in unused parts of
/// pages. The file records that it must be cleared, so another process does it if this one ends.
final class ErasedBytes {
  private let connection: Connection
  /// Whether the write-ahead log may contain erased values.
  private var isLogUnclean = false
  /// Whether free pages of the file may contain erased values.
  private var isFileUnclean = false
  /// Whether unused bytes in pages of the file may contain erased values.
  private var arePagesUnclean = false
  /// The changed pages; nil if history keeps all values, and for a store in memory.
  private var changedPages: ChangedPages?
  /// Whether the open transaction erased values.
  private var hasErased = false

  init(_ connection: Connection) { self.connection = connection }

  /// Begins to clear the file after each commit if history keeps only tombstones, and ends it
  /// otherwise.
  func refresh(_ mode: HistoryMode) throws {
    let isOn = mode == .tombstones
    // A process that ended before it emptied the log may have left old values in the log.
    isLogUnclean = isOn
    isFileUnclean = isOn
    arePagesUnclean = isOn
    if !isOn || connection.path == ":memory:" {
      changedPages = nil
    } else if changedPages == nil {
      changedPages = connection.watchPages()
    }
    try connection.execute("PRAGMA secure_delete = \(isOn ? "ON" : "OFF")")
  }

  /// Remembers that the open transaction deletes values.
  func noteDeletion() throws {
    if !hasErased { try FreeSpace.noteDeletion(on: connection) }
    hasErased = true
  }

  /// Remembers that captured foreign changes may have left deleted values in the file.
  func noteForeignChanges() throws {
    if try FreeSpace.noteForeignChanges(on: connection) { hasErased = true }
  }

  /// Discards the state of a failed write.
  func abandon() { hasErased = false }

  /// Removes erased bytes from the file and from the write-ahead log, which still contains the old
  /// pages.
  ///
  /// The bytes can't be overwritten while another program writes, or reads an older state. In this
  /// case, the bytes are overwritten after the next write, or when the store is opened.
  func remove() {
    if hasErased {
      isLogUnclean = true
      isFileUnclean = true
      arePagesUnclean = true
    }
    hasErased = false
    guard isLogUnclean || isFileUnclean || arePagesUnclean, connection.path != ":memory:" else {
      return
    }
    // The write succeeded, so an error here is not reported; bytes that remain are removed later.
    try? withoutWaiting {
      if isFileUnclean {
        clearFreeSpace()
        isLogUnclean = true
      }
      if isLogUnclean || arePagesUnclean { try emptyLog() }
      if arePagesUnclean, !isLogUnclean, let changedPages {
        arePagesUnclean = try !changedPages.clearGaps()
      }
    }
  }

  private func withoutWaiting(_ body: () throws -> Void) throws {
    let timeout = connection.busyTimeout
    connection.setBusyTimeout(milliseconds: 0)
    defer { connection.setBusyTimeout(milliseconds: timeout) }
    try body()
  }

  private func clearFreeSpace() {
    do {
      try FreeSpace.clear(on: connection)
      isFileUnclean = false
    } catch SQLiteError.busy {
      // If a checkpoint is not possible now, it is tried again after the next write.
    } catch {
      // For example, the disk is full. An attempt after each write would fill it each time. So the
      // next attempt follows the next deletion or the next opening of the store.
      isFileUnclean = false
    }
  }

  private func emptyLog() throws {
    let statement = try connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
    if try statement.step() { isLogUnclean = statement.int64(at: 0) != 0 }
  }
}
