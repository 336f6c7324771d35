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

  private let destination: LogDestination
  private let header: LogHeader
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

  /// Begins a log.
  public init(
    _ destination: LogDestination,
    header: LogHeader,
    level: Int = 6,
    threads: Int = 2
  ) throws {
    self.header = header
    self.destination = destination
    last = header.first - 1
    if case .stream(let stream, let name) = destination {
      temporary = name
      descriptor = stream
    } else {
      temporary = try destination.temporary(header)
      descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw diskError("The log \(temporary) can't be made", temporary)
      }
    }
    pipeline = MemberPipeline(level: level, threads: threads, path: temporary) {
      [unowned self] in try write($0)
    }
    try append(line: header.line())
  }

  deinit {
    guard descriptor >= 0, !destination.isStream else { return }
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

  /// Writes the trailer and gives the file its name.
  ///
  /// - Returns: The path of the log.
  public func finish() throws -> String {
    let trailer = LogTrailer(
      last: last,
      transactions: transactions,
      changes: changes,
      digest: hash.finish()
    )
    try append(line: trailer.line())
    if !block.isEmpty { try flush() }
    try pipeline?.finish()
    guard !destination.isStream else { return temporary }
    guard fsync(descriptor) == 0 else {
      throw diskError("The log \(temporary) can't be synced", temporary)
    }
    Glibc.close(descriptor)
    descriptor = -1
    let path = destination.path(header, last: max(header.first, last))
    guard access(path, F_OK) != 0 else {
      unlink(temporary)
      throw LogError(.exists, "The log \(path) is there already.", path: path)
    }
    try makeFolders(parentFolder(path))
    try moveDurably(temporary, to: path)
    return path
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
    try ChangeLog.write(member, to: descriptor, temporary)
  }
}
