import Foundation
import Glibc
public import Store

/// Writes one log: a file that is there, whole, under its name, or not at all.
///
/// The lines are compressed in members of about one mebibyte that end where a line does. The file
/// is written under a name that no reader of logs takes for one, synced, and renamed, and the
/// folder is synced.
public final class LogWriter {
  /// A member is closed after the line that fills so many bytes.
  static let memberSize = 1 << 20

  private let folder: String
  private let header: LogHeader
  private let day: String
  private let temporary: String
  private var descriptor: Int32
  private var pipeline: MemberPipeline?
  private var block: [UInt8] = []
  private var hash = SHA256()
  private var last: Int64
  private var transactions: Int64 = 0
  private var changes: Int64 = 0
  /// The bytes before and after compression, so far.
  public private(set) var sizes: (plain: Int64, compressed: Int64) = (0, 0)

  /// Begins a log below a folder; the day is that of its first transaction, in UTC.
  public init(
    folder: String,
    header: LogHeader,
    day: String,
    level: Int = 6,
    threads: Int = 2
  ) throws {
    self.header = header
    self.folder = folder
    self.day = day
    last = header.first - 1
    let name = LogName(
      store: header.store,
      lineage: header.lineage,
      day: day,
      range: header.first...header.first
    )
    let path = folder + "/" + name.path
    let parent = (path as NSString).deletingLastPathComponent
    do {
      try FileManager.default.createDirectory(
        atPath: parent,
        withIntermediateDirectories: true
      )
    } catch {
      throw LogError(
        .inputOutput,
        "The folder \(parent) for logs can't be made: \(error.localizedDescription).",
        path: parent
      )
    }
    temporary = "\(parent)/.\(header.first).\(getpid()).writing"
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure("can't be made") }
    pipeline = MemberPipeline(level: level, threads: threads, path: temporary) {
      [unowned self] in try write($0)
    }
    try append(line: header.line())
  }

  deinit {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    unlink(temporary)
  }

  /// Writes the line of a change.
  public func append(_ change: Change, _ lines: TransactionLines) throws {
    let start = block.count
    lines.append(change, to: &block)
    changes += 1
    try account(from: start)
  }

  /// Writes the line that closes a transaction.
  public func close(_ transaction: Transaction, _ lines: TransactionLines) throws {
    let start = block.count
    lines.appendClosing(digest: transaction.digest, to: &block)
    last = transaction.id
    transactions += 1
    try account(from: start)
  }

  /// Writes the trailer and gives the file its name, which is returned.
  public func finish() throws -> LogName {
    let trailer = LogTrailer(
      last: last,
      transactions: transactions,
      changes: changes,
      digest: hash.finish()
    )
    try append(line: trailer.line())
    if !block.isEmpty { try flush() }
    try pipeline?.finish()
    guard fsync(descriptor) == 0 else { throw failure("can't be synced") }
    Glibc.close(descriptor)
    descriptor = -1
    let name = LogName(
      store: header.store,
      lineage: header.lineage,
      day: day,
      range: header.first...max(header.first, last)
    )
    let path = folder + "/" + name.path
    guard rename(temporary, path) == 0 else {
      let error = failure("can't be renamed to \(path)")
      unlink(temporary)
      throw error
    }
    try syncFolders(of: path)
    return name
  }

  private func append(line: [UInt8]) throws {
    let start = block.count
    block += line
    try account(from: start)
  }

  /// Takes what was added to the block into the digest, and closes the member when it is full.
  private func account(from start: Int) throws {
    block.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    sizes.plain += Int64(block.count - start)
    if block.count >= Self.memberSize { try flush() }
  }

  private func flush() throws {
    try pipeline?.append(block)
    block = []
    block.reserveCapacity(Self.memberSize + 4096)
  }

  private func write(_ member: [UInt8]) throws {
    sizes.compressed += Int64(member.count)
    var written = 0
    while written < member.count {
      let count = member.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, member.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("can't be written") }
      written += count
    }
  }

  /// Makes sure that the name lasts: it is in a folder that is in others that may be new.
  private func syncFolders(of path: String) throws {
    var folder = (path as NSString).deletingLastPathComponent
    for _ in 0..<4 {
      let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard handle >= 0 else { throw failure("is in a folder that can't be opened, \(folder)") }
      let isSynced = fsync(handle) == 0
      Glibc.close(handle)
      guard isSynced else { throw failure("is in a folder that can't be synced, \(folder)") }
      folder = (folder as NSString).deletingLastPathComponent
    }
  }

  private func failure(_ what: String) -> LogError {
    let code = errno
    return LogError(
      code == ENOSPC || code == EDQUOT ? .diskFull : .inputOutput,
      "The log \(temporary) \(what): \(String(cString: strerror(code))).",
      path: temporary
    )
  }
}
