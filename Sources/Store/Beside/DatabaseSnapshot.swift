import Format
import Glibc
import Pages
import SQLite

/// What the files of a database contained at one moment: a main file, and the commits of its
/// write-ahead log.
struct DatabaseSnapshot {
  let files: DatabaseFiles
  /// The main file, or a private copy in which SQLite has rolled a transaction back.
  let main: ByteSource
  let log: WriteAheadLog?
  /// The first commit of the log whose state can be read; zero is the state of the main file alone.
  let firstReadable: Int
  /// The number of commits in the log.
  var lastCommit: Int { log?.commits.count ?? 0 }
  /// The descriptor of the private copy.
  private let copy: PrivateFile?

  /// Reads the commits of the log; nil if a program is writing to the main file.
  ///
  /// `folder` is the folder for a private copy, which is needed only after a crash of a program.
  init?(_ files: DatabaseFiles, folder: String) throws {
    files.waitForClock()
    guard !files.isBeingWritten else { return nil }
    self.files = files
    copy = try files.hasHotJournal ? PrivateFile(rollingBack: files, in: folder) : nil
    main = copy?.source ?? files.main
    log = try copy == nil ? files.readLog() : nil
    // SQLite writes the first page when the first table is created.
    guard files.stamp.size > 0 || log?.commits.isEmpty == false else {
      throw StoreError(.notADatabase, at: files.path) {
        "\(files.path) is empty.\nCheck the path, or wait until the program has created its tables."
      }
    }
    let first = try log.map { try files.firstReadableCommit(of: $0) } ?? 0
    firstReadable = min(first, log?.commits.count ?? 0)
  }

  /// Where the valid part of the log ends, in a sentence; nil if it ends as SQLite leaves logs.
  var damagedLog: String? {
    let rest = "SQLite ignores the rest, too. If this is a copy, copy the file and its log again."
    guard let end = log?.end else {
      guard copy == nil, files.hasUnreadableLog else { return nil }
      return "The write-ahead log was not read, because its header is damaged. \(rest)"
    }
    let reason: String
    switch end.reason {
    case .endOfFile: return nil
    // SQLite writes over the frames of a log that it begins again.
    case .olderFrame where end.frame > 1: return nil
    case .olderFrame: reason = "has other salts than the header"
    case .incompleteFrame: reason = "is cut off"
    case .badChecksum: reason = "has a wrong checksum"
    case .impossiblePage: reason = "has no page number"
    }
    return "The write-ahead log was read up to byte \(end.offset), because frame \(end.frame)"
      + " \(reason). \(rest)"
  }

  /// Whether what was read since the snapshot belongs to it, if no state before a commit was read.
  func isTrue(from commit: Int) throws -> Bool {
    guard let present = files.presentStamp, present.isSameFile(as: files.stamp),
      try !files.hasOtherLog
    else { return false }
    if present == files.stamp { return true }
    // A checkpoint writes to the main file. If the log still has the frames, they show which pages
    // the checkpoint has written.
    guard copy == nil, var log, try log.update() != .restarted else { return false }
    return try files.firstReadableCommit(of: log) <= commit
  }
}

/// A copy of a database that only this process sees.
private final class PrivateFile {
  private let descriptor: Int32
  var source: ByteSource { .descriptor(descriptor) }

  /// Copies a database and its journal, and lets SQLite roll the copy back.
  init(rollingBack files: DatabaseFiles, in folder: String) throws {
    var template = Array((folder + "/.travelog-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw Self.failure("create a folder in \(folder)") }
    let copy = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = copy + "/copy.db"
    defer {
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
      rmdir(copy)
    }
    for suffix in ["", "-journal"] { try Self.copy(files.path + suffix, to: path + suffix) }
    do {
      let connection = try Connection(path: path, mode: .readWrite)
      _ = try connection.prepare("SELECT count(*) FROM sqlite_schema").step()
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure("open \(path)") }
  }

  deinit { close(descriptor) }

  /// Copies a file, without its blocks if the file system can share them.
  private static func copy(_ source: String, to path: String) throws {
    let from = open(source, O_RDONLY | O_CLOEXEC)
    guard from >= 0 else { throw failure("read \(source)") }
    defer { close(from) }
    let to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard to >= 0 else { throw failure("create \(path)") }
    defer { close(to) }
    // The number is FICLONE, a macro that Swift does not import.
    if ioctl(to, 0x4004_9409, from) == 0 { return }
    while true {
      let count = sendfile(to, from, nil, 1 << 30)
      guard count >= 0 else { throw failure("copy \(source) to \(path)") }
      if count == 0 { return }
    }
  }

  private static func failure(_ what: String) -> StoreError {
    let number = errno
    return StoreError(number == ENOSPC ? .diskFull : .inputOutput) {
      "Can't \(what): \(systemText(number)).\nCheck the disk, and the permissions of the folder."
    }
  }
}
