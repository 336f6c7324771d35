import ChangeLog
import Format
import Store

/// Calls `body` with a restatement of each transaction that loses values in a log.
///
/// A restatement contains the digests of the lines that remain.
///
/// A filtered log has no restatements, because its erased lines contain no salt.
func restate(
  _ file: ErasePlan.File,
  of plan: ErasePlan,
  tick: Tick,
  _ body: (Restatement) throws -> Void
) throws {
  let reader = try file.chain.open(file.file, after: nil)
  let rewriting = Rewriting(file, of: plan, writer: nil, header: reader.header)
  var progress = Progress()
  while let transaction = try reader.next(
    checksValues: false,
    { change, id, _ in try rewriting.take(change, transaction: id, opening: reader.opening) },
    copy: rewriting.copy,
    omitted: rewriting.omit
  ) {
    if let (_, lines) = try rewriting.close(transaction), let digest = transaction.digest {
      try body(
        Restatement(
          lineage: file.chain.lineage,
          transaction: transaction.id,
          operation: transaction.operation,
          digest: digest,
          lines: lines
        )
      )
    }
    try progress.countTransaction(tick)
  }
  try file.chain.checkEnd(reader, file: file.file)
}

/// Replaces a log with a copy that lacks the erased values.
///
/// The erasure records are written before the log. If the program is stopped in between, the mark
/// of the unfinished erasure shows that these records are not damage.
func rewrite(
  _ file: ErasePlan.File,
  of plan: ErasePlan,
  erasures: inout Erasures,
  request: EraseRequest,
  isRecorded: Bool,
  tick: Tick
) throws {
  let reader = try file.chain.open(file.file, after: nil)
  let folder = file.chain.folder
  let writer = try LogWriter(.replacing(file.file.path, folder), header: reader.header)
  let rewriting = Rewriting(file, of: plan, writer: writer, header: reader.header)
  let path = folder.erasures(of: reader.header.store, lineage: reader.header.lineage)
  var records: [ErasureRecord] = []
  var progress = Progress()
  while let transaction = try reader.next(
    checksValues: false,
    { change, id, _ in try rewriting.take(change, transaction: id, opening: reader.opening) },
    copy: rewriting.copy,
    omitted: rewriting.omit
  ) {
    let remaining = try rewriting.close(transaction)?.remaining
    // A filtered log needs no erasure records: its transactions have the same digests as in the
    // unfiltered logs, which have the records. If a record confirms an earlier erasure of the
    // transaction, the chain does not confirm all of its lines, so it needs another record.
    if let remaining, let digest = transaction.digest,
      !isRecorded || erasures.entries[digest] != nil
    {
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
    // A log can need millions of records, so they are not kept until its end.
    if records.count == 10_000 {
      try erasures.append(records, to: path)
      records.removeAll()
    }
    try progress.countTransaction(tick)
  }
  try file.chain.checkEnd(reader, file: file.file)
  _ = try writer.finish(&erasures, adding: records)
}

/// Copies the lines of a log to a new log.
private final class Rewriting {
  private let file: ErasePlan.File
  private let plan: ErasePlan
  /// The lines of the present transaction and of later ones that lose values.
  private var lines: ArraySlice<ErasePlan.Line>
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
    /// The sequence numbers of the lines that lose values.
    let gone: Set<Int64>
    var hiding: LineHiding<Array<Int64>.Iterator>
    var digest: TransactionDigest
  }

  init(_ file: ErasePlan.File, of plan: ErasePlan, writer: LogWriter?, header: LogHeader) {
    self.file = file
    self.plan = plan
    lines = file.lines[...]
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
    let isErased = open.gone.contains(change.sequence)
    var leaf = secret.leaf
    if isErased {
      leaf =
        isFiltered
        ? secret.values(of: change).map { .hidden(values: $0, salt: nil) } : secret.erased(change)
    }
    var members: [UInt8] = []
    leaf?.append(to: &members)
    change.withErased {
      isErased && plan.erases($0, of: change, in: transaction, of: file)
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
    let rest = lines.drop { $0.transaction < id }
    let gone = rest.prefix { $0.transaction == id }.map(\.sequence)
    lines = rest.dropFirst(gone.count)
    guard !gone.isEmpty, var transaction = try opening() else { return }
    let whole = TransactionLines(transaction)
    transaction.seed = nil
    open = Open(
      whole: whole,
      lines: TransactionLines(transaction),
      gone: Set(gone),
      hiding: LineHiding(count: transaction.count, hiding: gone.makeIterator()),
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
    return (remaining, digests.restated.filter { open.gone.contains($0.sequence) })
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
