import Format
import FoundationEssentials
import Glibc
import Pages

/// The files of a database that is only read: its main file and its write-ahead log.
///
/// No lock is taken, and nothing is created beside the database. Instead, what was read is trusted
/// only if no program can have written meanwhile.
///
/// While this process has an SQLite connection to the same database, closing these files would release
/// SQLite's locks.
final class DatabaseFiles {
  let path: String
  let main: ByteSource
  /// The log; nil if there is none.
  let log: ByteSource?
  /// The log's file and its header when it was opened.
  private let logStamp: FileStamp?
  private let logHeader: LogHeader?
  /// The file in which programs that use the log share its state; nil if there is none.
  private let index: Int32?
  private let descriptors: [Int32]
  /// The main file when it was opened.
  let stamp: FileStamp

  init(_ path: String) throws {
    self.path = path
    // A log can appear after the main file was opened, but a writer that creates it also changes the
    // log later, which is noticed.
    let (file, stamp) = try Self.open(path)
    self.stamp = stamp
    main = .descriptor(file)
    var descriptors = [file]
    do {
      let log = Glibc.open(path + "-wal", O_RDONLY | O_CLOEXEC)
      guard log >= 0 || errno == ENOENT else { throw unreadable(path + "-wal", errno) }
      if log >= 0 { descriptors.append(log) }
      var status = stat()
      logStamp = log >= 0 && fstat(log, &status) == 0 ? FileStamp(status) : nil
      self.log = log >= 0 ? .descriptor(log) : nil
      logHeader = try self.log.flatMap { try LogHeader($0) }
    } catch {
      for descriptor in descriptors { close(descriptor) }
      guard let error = error as? PageError else { throw error }
      throw error.asStoreError(at: path)
    }
    // Without this file, or without permission to read it, only the pages show what a checkpoint did.
    let index = Glibc.open(path + "-shm", O_RDONLY | O_CLOEXEC)
    if index >= 0 { descriptors.append(index) }
    self.index = index >= 0 ? index : nil
    self.descriptors = descriptors
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  private static func open(_ path: String) throws -> (Int32, FileStamp) {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == ENOENT else { throw unreadable(path, errno) }
      throw StoreError(.missing, at: path) {
        "There is no database \(path).\nIf it was moved, give its new path: --database PATH"
      }
    }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw StoreError(.notADatabase, at: path) { "\(path) is not a file." }
    }
    return (file, FileStamp(status))
  }

  /// The present stamp of the file at the path; nil if there is no file.
  var presentStamp: FileStamp? {
    var status = stat()
    return stat(path, &status) == 0 ? FileStamp(status) : nil
  }

  /// Whether a program began the log again or removed it since it was opened.
  ///
  /// After a removal, programs can write to the main file without this log.
  var hasOtherLog: Bool {
    get throws {
      guard let log, let logStamp else { return false }
      var status = stat()
      guard stat(path + "-wal", &status) == 0, FileStamp(status).isSameFile(as: logStamp) else {
        return true
      }
      return try LogHeader(log) != logHeader
    }
  }

  /// Whether a program may have changed what was read since the files were opened.
  var mayHaveChanged: Bool {
    do {
      return try presentStamp != stamp || hasOtherLog || isBeingWritten
    } catch {
      return false
    }
  }

  /// The number of the first commit of the log from which on every state can be read.
  func firstReadableCommit(of log: Pages.WriteAheadLog) throws -> Int {
    // Each connection that uses the log has a lock on the index, and the first one makes it anew.
    let checkpointed = try index.flatMap {
      isLocked($0, from: 128, count: 1, alsoForReading: true)
        ? try log.lastCheckpointedFrame(index: .descriptor($0)) : nil
    }
    return try log.firstReadableCommit(in: main, checkpointedThrough: checkpointed ?? .max)
  }

  /// Whether the database has no commit after the last one that was read.
  func isUnchanged(since known: ReadDatabase) throws -> Bool {
    guard stamp == known.stamp else { return false }
    guard let log else { return known.log == nil }
    guard let position = known.log?.position else {
      return try Pages.WriteAheadLog(log)?.commits.isEmpty ?? true
    }
    return try position.change(in: log) == .unchanged
  }

  /// Whether a program may be writing to the main file, so that it has pages of two states.
  ///
  /// A program with PRAGMA locking_mode = EXCLUSIVE keeps its locks between transactions. With a
  /// write-ahead log, the log shows what was written. Otherwise there is a journal while pages are
  /// written; between its transactions, such a program keeps the journal's file.
  var isBeingWritten: Bool { hasLocks && !usesLog && hasOpenJournal != false }

  /// Whether another process has the locks with which SQLite writes to the main file.
  ///
  /// A writer first locks the pending byte, and then the bytes that readers share.
  private var hasLocks: Bool {
    isLocked(from: 0x4000_0000, count: 1) || isLocked(from: 0x4000_0002, count: 510)
  }

  private var usesLog: Bool {
    guard case .descriptor(let file) = main else { return false }
    var versions: [UInt8] = [0, 0]
    return pread(file, &versions, 2, 18) == 2 && versions == [2, 2]
  }

  /// Whether the rollback journal has pages of a transaction that has not ended; nil if there is no
  /// journal.
  private var hasOpenJournal: Bool? {
    let journal = Glibc.open(path + "-journal", O_RDONLY | O_CLOEXEC)
    guard journal >= 0 else { return nil }
    defer { close(journal) }
    // SQLite overwrites the first byte, or empties the file, when a transaction ends.
    var first: UInt8 = 0
    return pread(journal, &first, 1, 0) == 1 && first != 0
  }

  /// Whether a program was killed while it wrote to the main file, so that the next one must roll its
  /// transaction back.
  var hasHotJournal: Bool { hasOpenJournal == true && !hasWriter }

  /// Whether another process has begun to write, at least in its memory: it has the reserved lock.
  private var hasWriter: Bool { isLocked(from: 0x4000_0001, count: 1) || hasLocks }

  /// Whether another process has a lock for writing on some bytes; no lock is taken.
  private func isLocked(from start: Int64, count: Int64) -> Bool {
    guard case .descriptor(let file) = main else { return false }
    return isLocked(file, from: start, count: count, alsoForReading: false)
  }

  private func isLocked(
    _ file: Int32,
    from start: Int64,
    count: Int64,
    alsoForReading: Bool
  ) -> Bool {
    var lock = flock()
    lock.l_type = Int16(alsoForReading ? F_WRLCK : F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(start)
    lock.l_len = off_t(count)
    return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  /// Waits until a write to the main file would change its times, which advance in steps.
  func waitForClock() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let age =
      (now.tv_sec - stamp.changeSeconds) * 1_000_000_000 + now.tv_nsec - stamp.changeNanoseconds
    if 0..<20_000_000 ~= age { usleep(UInt32((20_000_000 - age) / 1000) + 1) }
  }
}

/// What changes if a program writes to a file.
struct FileStamp: Codable, Hashable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  let seconds: Int
  let nanoseconds: Int
  /// The time of the last change of the file's contents or properties, which no program can set back.
  let changeSeconds: Int
  let changeNanoseconds: Int

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
    changeSeconds = status.st_ctim.tv_sec
    changeNanoseconds = status.st_ctim.tv_nsec
  }

  /// Whether both are stamps of one file, whatever its contents.
  func isSameFile(as other: FileStamp) -> Bool {
    device == other.device && inode == other.inode
  }
}

private func unreadable(_ path: String, _ number: Int32) -> StoreError {
  StoreError(.inputOutput, at: path) {
    "Can't read \(path): \(systemText(number)).\nCheck the disk, and the permissions of the file."
  }
}
