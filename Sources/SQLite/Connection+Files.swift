import CSQLite
import FoundationEssentials
import Glibc

/// The files of a database, which SQLite has opened.
extension Connection {
  /// Syncs the files, so everything that the connection sees becomes durable.
  ///
  /// SQLite's own file descriptors are used, because closing another descriptor of the file would
  /// release all locks of the process.
  package func sync() throws {
    // The log is synced first, because its contents replace those of the file.
    for file in [travelog_sqlite_log_file(database), travelog_sqlite_file(database)] {
      if let file { try check(travelog_sqlite_file_sync(file)) }
    }
  }

  /// The first bytes of the file, read with SQLite's own file descriptor; fewer bytes if the file
  /// is shorter.
  package func firstBytes(_ count: Int) throws -> [UInt8] { try fileBytes(count, at: 0) }

  /// Some bytes of the file without the write-ahead log, read with SQLite's own file descriptor;
  /// fewer bytes if the file is shorter.
  package func fileBytes(_ count: Int, at offset: Int64) throws -> [UInt8] {
    var size: Int64 = 0
    guard let file = travelog_sqlite_file(database) else { return [] }
    try check(travelog_sqlite_file_size(file, &size))
    var bytes = [UInt8](repeating: 0, count: Int(min(Int64(count), max(0, size - offset))))
    if !bytes.isEmpty {
      let length = Int32(truncatingIfNeeded: bytes.count)
      try check(travelog_sqlite_file_read(file, &bytes, length, offset))
    }
    return bytes
  }

  /// Whether the header of the file says that writers use a write-ahead log.
  package var isForWriteAheadLog: Bool {
    get throws { try firstBytes(19).last == 2 }
  }

  package func keepWriteAheadLogOnClose() throws {
    try check(travelog_sqlite_set_no_checkpoint_on_close(database, 1))
  }

  /// Whether another process may have a connection to the file.
  ///
  /// If the file has a write-ahead log, each connection that has used the file keeps a shared lock on
  /// it. Otherwise a connection has no lock while it does nothing, so the result is always true. The
  /// system is asked for the lock with SQLite's own file descriptor, because closing another
  /// descriptor of the file would release all locks of the process.
  package var mayBeShared: Bool {
    get throws {
      guard try isForWriteAheadLog, let descriptor = try descriptor() else { return true }
      // The bytes are those of SQLite's shared lock.
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      lock.l_start = 0x4000_0002
      lock.l_len = 510
      return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }
  }

  /// SQLite's descriptor of the file; nil if it is not found.
  private func descriptor() throws -> Int32? {
    var file = stat()
    guard stat(path, &file) == 0 else { return nil }
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").lazy
      .compactMap { Int32($0) }
      .first {
        var open = stat()
        return fstat($0, &open) == 0 && open.st_dev == file.st_dev && open.st_ino == file.st_ino
      }
  }
}
