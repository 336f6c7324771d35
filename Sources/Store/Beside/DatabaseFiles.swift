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
  private let mainFile: OpenedFile
  private let logFile: OpenedFile?
  /// The log's file and its header when it was opened.
  private let logStamp: FileStamp?
  private let logHeader: LogHeader?
  /// The file in which programs that use the log share its state; nil if there is none.
  private let index: OpenedFile?
  /// The main file when it was opened.
  let stamp: FileStamp
  /// Whether this process has a connection to the database, whose locks it can't see.
  var hasConnection: Bool

  var main: ByteSource { .descriptor(mainFile.descriptor) }
  /// The log; nil if there is none.
  var log: ByteSource? { logFile.map { .descriptor($0.descriptor) } }

  /// Opens the files.
  ///
  /// `other` perhaps has the same database open; the files that SQLite locks are then not opened
  /// again.
  init(_ path: String, sharing other: DatabaseFiles? = nil) throws {
    self.path = path
    let shared = other.flatMap { $0.path == path ? $0 : nil }
    guard let file = try openFile(path, sharing: shared?.mainFile) else {
      throw StoreError(.missing, at: path) {
        "There is no database \(path).\nIf it was moved: travelog adopt HISTORY --database PATH"
      }
    }
    mainFile = file
    hasConnection = shared?.hasConnection ?? false
    var status = stat()
    guard fstat(mainFile.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.notADatabase, at: path) { "\(path) is not a file." }
    }
    stamp = FileStamp(status)
    // A log can appear after the main file was opened, but a writer that creates it also changes the
    // log later, which is noticed.
    logFile = try OpenedFile(path + "-wal")
    logStamp = logFile.flatMap { fstat($0.descriptor, &status) == 0 ? FileStamp(status) : nil }
    do {
      logHeader = try logFile.flatMap { try LogHeader(.descriptor($0.descriptor)) }
    } catch let error as PageError {
      throw error.asStoreError(at: path)
    }
    do {
      index = try openFile(path + "-shm", sharing: shared?.index)
    } catch {
      // Without permission to read this file, only the pages show what a checkpoint did.
      index = nil
    }
  }

  /// The present stamp of the file at the path; nil if there is no file.
  var presentStamp: FileStamp? {
    var status = stat()
    return stat(path, &status) == 0 ? FileStamp(status) : nil
  }

  /// Whether there is a log that is not empty, and whose header SQLite would not accept.
  var hasUnreadableLog: Bool { logHeader == nil && logStamp.map { $0.size > 0 } ?? false }

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
      // The error that was found first explains more.
      return false
    }
  }

  /// What the programs that use the log say about it; nil if no program uses it now.
  func readIndex(of log: WriteAheadLog) throws -> LogIndex? {
    // Each connection that uses the log has a lock on the index, and the first one writes it from the
    // beginning.
    guard let index,
      hasConnection || isLocked(index, from: 128, count: 1, alsoForReading: true)
    else { return nil }
    return try LogIndex(.descriptor(index.descriptor), of: log.header)
  }

  /// The commits of the log that a program would read now; nil if there is no log.
  func readLog() throws -> WriteAheadLog? {
    guard let log, var commits = try WriteAheadLog(log) else { return nil }
    if let index = try readIndex(of: commits) {
      try commits.removeCommits(after: index.lastCommittedFrame)
    }
    return commits
  }

  /// The number of the first commit of the log from which on every state can be read.
  func firstReadableCommit(of log: WriteAheadLog) throws -> Int {
    try log.firstReadableCommit(
      in: main,
      checkpointedThrough: readIndex(of: log)?.lastCheckpointedFrame ?? .max
    )
  }

  /// Whether the database has no commit after the last one that was read.
  func isUnchanged(since known: ReadDatabase) throws -> Bool {
    guard stamp == known.stamp else { return false }
    guard let log else { return known.log == nil }
    guard let position = known.log?.position else {
      return try readLog()?.commits.isEmpty ?? true
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

  /// Whether writers use a write-ahead log, so that only checkpoints write to the main file.
  var usesLog: Bool {
    var versions: [UInt8] = [0, 0]
    return pread(mainFile.descriptor, &versions, 2, 18) == 2 && versions == [2, 2]
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
    isLocked(mainFile, from: start, count: count, alsoForReading: false)
  }

  private func isLocked(
    _ file: OpenedFile,
    from start: Int64,
    count: Int64,
    alsoForReading: Bool
  ) -> Bool {
    var lock = flock()
    lock.l_type = Int16(alsoForReading ? F_WRLCK : F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(start)
    lock.l_len = off_t(count)
    return fcntl(file.descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
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

/// Opens a file, unless another object has it open; nil if there is none.
private func openFile(_ path: String, sharing other: OpenedFile?) throws -> OpenedFile? {
  var (present, open) = (stat(), stat())
  if let other, stat(path, &present) == 0, fstat(other.descriptor, &open) == 0,
    FileStamp(present).isSameFile(as: FileStamp(open))
  {
    return other
  }
  return try OpenedFile(path)
}
