import ChangeLog
import Format
import Store

/// Returns a restatement for each transaction that loses values in a log.
///
/// A restatement contains the digests of the lines that remain.
///
/// A filtered log has no restatements, because its erased lines contain no salt.
func restatements(of plan: ErasePlan.File, tick: Tick) throws -> [Restatement] {
  let reader = try plan.chain.open(plan.file, after: nil)
  let rewriting = Rewriting(plan, writer: nil, header: reader.header)
  var result: [Restatement] = []
  var progress = Progress()
  while let transaction = try reader.next(
    { change, id, _ in try rewriting.take(change, transaction: id, opening: reader.opening) },
    copy: rewriting.copy,
    omitted: rewriting.omit
  ) {
    if let (_, lines) = try rewriting.close(transaction), let digest = transaction.digest {
      result.append(
        Restatement(
          lineage: plan.chain.lineage,
          transaction: transaction.id,
          operation: transaction.operation,
          digest: digest,
          lines: lines
        )
      )
    }
    try progress.countTransaction(tick)
  }
  try plan.chain.checkEnd(reader, file: plan.file)
  return result
}

/// Replaces a log with a copy that lacks the erased values.
///
/// The erasure records are written before the log. If the program is stopped in between, the mark
/// of the unfinished erasure shows that these records are not damage.
func rewrite(
  _ plan: ErasePlan.File,
  erasures: inout Erasures,
  request: EraseRequest,
  isRecorded: Bool,
  tick: Tick
) throws {
  let reader = try plan.chain.open(plan.file, after: nil)
  let writer = try LogWriter(.replacing(plan.file.path, plan.chain.folder), header: reader.header)
  let rewriting = Rewriting(plan, writer: writer, header: reader.header)
  var records: [ErasureRecord] = []
  var progress = Progress()
  while let transaction = try reader.next(
    { change, id, _ in try rewriting.take(change, transaction: id, opening: reader.opening) },
    copy: rewriting.copy,
    omitted: rewriting.omit
  ) {
    let remaining = try rewriting.close(transaction)?.remaining
    // A filtered log needs no erasure records: its transactions have the same digests as in the
    // unfiltered logs, which have the records.
    if !isRecorded, let remaining, let digest = transaction.digest {
      records.append(
        ErasureRecord(
          time: currentTime(),
          author: Author.given(request.author),
          reason: Author.given(request.reason),
          transaction: transaction.id,
          operation: transaction.operation,
          object: ObjectName(request.entity, id: request.object),
          attributes: request.attributes.sorted(),
          digest: digest,
          lines: remaining
        )
      )
    }
    try progress.countTransaction(tick)
  }
  try plan.chain.checkEnd(reader, file: plan.file)
  _ = try writer.finish(&erasures, adding: records)
}

/// Copies the lines of a log to a new log.
private final class Rewriting {
  private let plan: ErasePlan.File
  /// The writer of the new log; nil if the old log is only read.
  private let writer: LogWriter?
  private let isFiltered: Bool
  private var previous: Digest
  /// The present transaction, if it loses values; otherwise nil.
  private var open: Open?
  /// The new line of the present change; empty if the old line is copied.
  private var line: [UInt8] = []
  private var hasBegun = false
  /// The number of lines that a filter omitted before the first change of the present transaction.
  private var omitted: Int64 = 0

  /// A transaction that loses values.
  private struct Open {
    let whole: TransactionLines
    let lines: TransactionLines
    let gone: [Int64: [ToldValue]]
    var hiding: LineHiding<Array<Int64>.Iterator>
    var digest: TransactionDigest
  }

  init(_ plan: ErasePlan.File, writer: LogWriter?, header: LogHeader) {
    self.plan = plan
    self.writer = writer
    isFiltered = !header.partial.isEmpty
    previous = header.previous
  }

  /// Prepares the new line of a change.
  ///
  /// The caller copies the new line after this call.
  func take(_ change: Change, transaction: Int64, opening: () throws -> Transaction?) throws {
    line.removeAll(keepingCapacity: true)
    try begin(transaction, opening)
    guard var open else { return }
    self.open = nil
    let secret = try open.hiding.next(open.whole.leaf(of: change))
    let gone = open.gone[change.sequence] ?? []
    var leaf = secret.leaf
    if !gone.isEmpty {
      leaf =
        isFiltered
        ? secret.values(of: change).map { .hidden(values: $0, salt: nil) } : secret.erased(change)
    }
    var members: [UInt8] = []
    leaf?.append(to: &members)
    change.withErased { key, isAfter in
      gone.contains { $0.key == key && $0.isAfter == isAfter }
    } _: { erased in
      members.withUnsafeBytes {
        var erased = erased
        erased.leaf = $0
        open.lines.append(erased, to: &line)
        open.digest.take(erased)
      }
    }
    self.open = open
  }

  private func begin(_ id: Int64, _ opening: () throws -> Transaction?) throws {
    guard !hasBegun else { return }
    hasBegun = true
    guard let gone = plan.changes[id], var transaction = try opening() else { return }
    let whole = TransactionLines(transaction)
    transaction.seed = nil
    open = Open(
      whole: whole,
      lines: TransactionLines(transaction),
      gone: gone,
      hiding: LineHiding(count: transaction.count, hiding: gone.keys.sorted().makeIterator()),
      digest: TransactionDigest(transaction, after: previous)
    )
    try open?.hiding.skip(omitted)
  }

  func copy(_ original: UnsafeRawBufferPointer) throws {
    guard let writer else { return }
    guard !line.isEmpty else { return try writer.append(lines: original, changes: 1) }
    try line.withUnsafeBytes { try writer.append(lines: $0, changes: 1) }
  }

  /// Copies a line that replaces omitted lines.
  func omit(_ omission: Omission, _ original: UnsafeRawBufferPointer) throws {
    try writer?.append(omission, line: original)
    guard let lines = omission.lines else { return }
    if open == nil { omitted = lines.upperBound } else { try open?.hiding.skip(Int64(lines.count)) }
  }

  /// Ends a transaction.
  ///
  /// If the transaction lost values, the result is the digest of its remaining lines, and the lines
  /// that lost values.
  func close(
    _ transaction: Transaction
  ) throws -> (remaining: Digest, restated: [RestatedLine])? {
    let lines = TransactionLines(transaction)
    try writer?.close(transaction, lines: lines)
    defer {
      open = nil
      omitted = 0
      hasBegun = false
      previous = transaction.chainDigest ?? previous
    }
    guard !isFiltered, let open else { return nil }
    let digests = try open.digest.close(lines)
    guard let remaining = digests.remaining else { return nil }
    return (remaining, digests.restated.filter { open.gone[$0.sequence] != nil })
  }
}

/// Removes the files of large values that no log refers to any more, and returns the number of
/// removed files.
func removeLargeValues(_ digests: [String], logs: LogFolder) throws -> Int {
  var unused = Set(digests)
  for file in try unused.isEmpty ? [] : logs.allFiles() {
    // All logs were verified earlier, so their erasure records are not verified again.
    let reader = try LogReader(path: file) { Erasures(uncheckedIn: $0) }
    while try reader.next({ change, _, _ in
      for value in change.largeReferences { unused.remove(value.digest) }
    }) != nil {}
  }
  let there = unused.filter { logs.blobs.contains($0) }
  for digest in there { try removeDurably(logs.blobs.file(digest)) }
  return there.count
}
