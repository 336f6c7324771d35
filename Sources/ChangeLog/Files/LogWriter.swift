import Dispatch
import Format
import Glibc
import Stopping

/// Writes one log.
///
/// A file that has the name of a log is always complete.
///
/// The lines are compressed in gzip members of about 1 MiB, each of which ends with a complete
/// line. The file is first written under a temporary name that readers of logs ignore. Then the
/// file is synced and renamed, and its folder is synced.
package final class LogWriter {
  /// The default number of bytes after which a gzip member ends, at the end of the current line.
  package static let memberSize = 1 << 20
  /// The compression levels: the first does not compress, and the last gives the smallest files.
  package static let levels = GzipCompressor.levels

  private let destination: LogDestination
  private let header: LogHeader
  private let memberSize: Int
  private let temporary: String
  private var descriptor: Int32
  private var pipeline: MemberPipeline?
  private var block: [UInt8] = []
  private let digest = LogDigest()
  private var last: Int64
  private var transactions: Int64 = 0
  private var changes: Int64 = 0
  private var written: (plain: Int64, compressed: Int64) = (0, 0)
  /// The first transaction that ends in the current block, and the offset of its closing line.
  private var closed: (transaction: Int64, begins: Int)?
  /// For each block that is being compressed, the first transaction that ends in the block, and the
  /// offset of the transaction's closing line.
  private var closedAhead: [(transaction: Int64, begins: Int)?] = []
  private var members: [LogMembers.Entry] = []
  /// The number of bytes written until now, before and after compression.
  package var sizes: (plain: Int64, compressed: Int64) {
    (written.plain + Int64(block.count), written.compressed)
  }

  /// The approximate size of the file, including bytes that are not compressed yet.
  package var estimatedSize: Int64 { written.compressed + Int64(block.count) / 4 }

  package init(
    _ destination: LogDestination,
    header: LogHeader,
    level: Int = 6,
    threads: Int = 2,
    memberSize: Int = LogWriter.memberSize
  ) throws {
    guard Self.levels.contains(level) else {
      let path = destination.path(header, last: header.first)
      throw wrongLevel(level, allowed: GzipCompressor.levels, path: path)
    }
    self.header = header
    self.memberSize = memberSize
    self.destination = destination
    last = header.first - 1
    if case .stream(let stream, let name) = destination {
      temporary = name
      descriptor = stream
    } else {
      temporary = try destination.temporary(header)
      Leftovers.add(temporary)
      descriptor = open(temporary, writing | O_TRUNC, 0o600)
      guard descriptor >= 0 else { throw diskError("create", path: temporary) }
    }
    pipeline = MemberPipeline(level: level, threads: threads, path: temporary) {
      [unowned self] in try write($0)
    }
    block = try header.line()
  }

  /// Writes an empty gzip member to a stream; a reader of the stream then knows that there are no
  /// new transactions, and that no error occurred.
  package static func writeNothing(to stream: Int32, name: String) throws {
    try ChangeLog.write(GzipCompressor(level: 1, path: name).member(of: []), to: stream, path: name)
  }

  deinit {
    guard !destination.isStream else { return }
    Leftovers.forget(temporary)
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    unlink(temporary)
  }

  package func append(_ change: Change, lines: TransactionLines) throws {
    let start = block.count
    lines.append(change, to: &block)
    guard block.count - start <= LineBuffer.longestLine else {
      throw lineTooLong(block.count - start)
    }
    changes += 1
    if block.count >= memberSize { try flush() }
  }

  /// Writes lines of changes that already have their final form and their line breaks.
  package func append(lines: UnsafeRawBufferPointer, changes count: Int64) throws {
    if lines.count > LineBuffer.longestLine {
      let longest = lines.split(separator: 0x0a).map(\.count).max() ?? 0
      guard longest < LineBuffer.longestLine else { throw lineTooLong(longest + 1) }
    }
    var start = 0
    while start < lines.count {
      // A gzip member ends with the line that reaches the size limit. If the header reaches the
      // limit, the next line ends the member.
      let last = max(start, min(start + memberSize - block.count, lines.count) - 1)
      let rest = UnsafeRawBufferPointer(rebasing: lines[last...])
      let end = rest.firstIndex(of: 0x0a).map { last + $0 + 1 } ?? lines.count
      block.append(contentsOf: lines[start..<end])
      start = end
      if block.count >= memberSize { try flush() }
    }
    changes += count
  }

  /// Writes a line that replaces omitted lines or an omitted transaction.
  package func append(_ omission: Omission, line: UnsafeRawBufferPointer) throws {
    try append(lines: line, changes: 0)
    if omission.lines == nil { last = omission.transaction }
  }

  /// Writes the closing line of a transaction.
  package func close(_ transaction: Transaction, lines: TransactionLines) throws {
    if closed == nil { closed = (transaction.id, block.count) }
    lines.appendClosing(digest: transaction.digest, to: &block)
    last = transaction.id
    transactions += 1
    if block.count >= memberSize { try flush() }
  }

  /// Writes the trailer, and renames the file to its final name.
  ///
  /// If values of transactions in the log were erased, the erasure records are appended to the
  /// records of the lineage before the log is renamed. In a stream, the erasure records follow the
  /// log.
  package func finish(
    _ erasures: inout Erasures,
    adding records: [ErasureRecord]
  ) throws -> String {
    try finish {
      if case .stream = destination {
        for record in records { block += erasures.append(record) ?? [] }
        guard !block.isEmpty else { return }
        try compress()
        try pipeline?.finish()
      } else if let folder = destination.folder, !records.isEmpty {
        let path = folder.erasures(of: header.store, lineage: header.lineage)
        try erasures.append(records, to: path)
      }
    }
  }

  /// Writes the trailer, calls `written`, renames the file, and returns the path of the log.
  package func finish(_ written: () throws -> Void = {}) throws -> String {
    digest.append(block)
    let trailer = LogTrailer(
      last: last,
      transactions: transactions,
      changes: changes,
      digest: digest.finish()
    )
    block += trailer.line()
    try compress()
    try pipeline?.finish()
    guard !destination.isStream else {
      try written()
      return temporary
    }
    guard fsync(descriptor) == 0 else { throw diskError("sync", path: temporary) }
    Glibc.close(descriptor)
    descriptor = -1
    let path = destination.path(header, last: max(header.first, last))
    guard destination.isReplacing || access(path, F_OK) != 0 else {
      unlink(temporary)
      throw LogError(.exists, path) { "The log \(path) exists already." }
    }
    try makeFolders(parentFolder(path))
    do {
      try written()
    } catch {
      unlink(temporary)
      throw error
    }
    try moveDurably(temporary, to: path)
    // The members file is written last, because the log is complete without it. It has no entry for
    // the last transaction, because no reader would use such an entry.
    try LogMembers.write(
      members.filter { $0.transaction < last },
      size: self.written.compressed,
      of: path,
      temporary: "\(parentFolder(temporary))/.members.writing"
    )
    return path
  }

  private func flush() throws {
    digest.append(block)
    try compress()
  }

  private func compress() throws {
    written.plain += Int64(block.count)
    closedAhead.append(closed)
    closed = nil
    try pipeline?.append(block)
    block = []
    block.reserveCapacity(Self.memberSize + 4096)
  }

  private func write(_ member: [UInt8]) throws {
    let offset = written.compressed
    written.compressed += Int64(member.count)
    // The first gzip member needs no entry, because readers always read it for the header.
    if let closed = closedAhead.removeFirst(), offset > 0 {
      members.append(
        LogMembers.Entry(
          offset: offset,
          begins: Int64(closed.begins),
          transaction: closed.transaction
        )
      )
    }
    try ChangeLog.write(member, to: descriptor, path: temporary)
  }

  private func lineTooLong(_ count: Int) -> LogError {
    LogError(.lineTooLong, temporary, transaction: last + 1) {
      "Transaction \(last + 1) has a change whose line is \(count) bytes long; the limit is"
        + " \(LineBuffer.longestLine). The object has too many long values; the log \(temporary)"
        + " was not written."
    }
  }
}

/// The digest of a file's bytes, which another thread computes while the bytes are compressed.
final class LogDigest: @unchecked Sendable {
  // The running hash. Only code on the queue may use this property.
  private var hash = SHA256()
  private let queue = DispatchQueue(label: "travelog.digest")

  func append(_ block: [UInt8]) {
    queue.async { self.hash.update(block) }
  }

  func finish() -> Digest { queue.sync { hash.finish() } }
}
