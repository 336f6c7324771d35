import ChangeLog
import Changes
import FoundationEssentials
import Glibc
import Store

/// Writes a log anew without the values that go, and takes the place of the old one.
///
/// The records are there before the log is: a record without its erasure is told from damage by the
/// mark that the erasure has.
func rewrite(
  _ plan: ErasePlan.File,
  erasures: inout Erasures,
  request: EraseRequest,
  tick: Tick
) throws {
  let reader = try plan.chain.open(plan.file, after: nil)
  let writer = try LogWriter(.replacing(plan.file.path, plan.chain.folder), header: reader.header)
  let rewriting = Rewriting(plan, writer: writer, previous: reader.header.previous)
  var records: [ErasureRecord] = []
  var progress = Progress()
  while let transaction = try reader.next(
    { change, id, _ in try rewriting.take(change, transaction: id, opening: reader.opening) },
    copy: rewriting.copy
  ) {
    let lines = try rewriting.close(transaction)
    // Logs with something left out have no records, because their digests are those of the whole.
    if let lines, let digest = transaction.digest, reader.header.partial.isEmpty {
      records.append(
        ErasureRecord(
          time: currentTime(),
          author: request.author,
          reason: request.reason,
          transaction: transaction.id,
          operation: transaction.operation,
          object: ObjectName(request.entity, id: request.object),
          attributes: request.attributes.sorted(),
          digest: digest,
          lines: lines
        )
      )
    }
    try progress.countTransaction(tick)
  }
  try plan.chain.checkEnd(reader, file: plan.file)
  _ = try writer.finish(&erasures, adding: records)
}

/// The lines of one log on their way into another.
private final class Rewriting {
  private let plan: ErasePlan.File
  private let writer: LogWriter
  private var previous: Digest
  /// The digest of the lines of a transaction that loses values; nil for any other.
  private var digest: TransactionDigest?
  /// The line of a change that lost values; empty where the line stays as it is.
  private var line: [UInt8] = []
  private var hasBegun = false

  init(_ plan: ErasePlan.File, writer: LogWriter, previous: Digest) {
    self.plan = plan
    self.writer = writer
    self.previous = previous
  }

  /// Takes a change before its line is copied.
  func take(_ change: Change, transaction: Int64, opening: () throws -> Transaction?) throws {
    line.removeAll(keepingCapacity: true)
    begin(transaction)
    guard let gone = plan.changes[transaction]?[change.sequence], let shared = try opening() else {
      return
    }
    let lines = TransactionLines(shared)
    change.withErased { key, isAfter in
      gone.contains { $0.key == key && $0.isAfter == isAfter }
    } _: { erased in
      lines.append(erased, to: &line)
    }
  }

  func copy(_ original: UnsafeRawBufferPointer) throws {
    func write(_ bytes: UnsafeRawBufferPointer) throws {
      digest?.take(lines: bytes)
      try writer.append(lines: bytes, changes: 1)
    }
    if line.isEmpty { try write(original) } else { try line.withUnsafeBytes { try write($0) } }
  }

  private func begin(_ transaction: Int64) {
    guard !hasBegun else { return }
    hasBegun = true
    digest = plan.changes[transaction] == nil ? nil : TransactionDigest(after: previous)
  }

  /// Ends a transaction, and returns what its lines give now where it lost values.
  func close(_ transaction: Transaction) throws -> Digest? {
    var transaction = transaction
    if digest != nil { transaction.salt = [] }
    let lines = TransactionLines(transaction)
    try writer.close(transaction, lines: lines)
    let given = digest?.close(lines)
    digest = nil
    hasBegun = false
    previous = transaction.chainDigest ?? previous
    return given
  }
}

/// Takes away the files of large values that no log needs any more, and returns how many.
func removeLargeValues(_ digests: [String], logs: LogFolder) throws -> Int {
  var unused = Set(digests)
  for file in try unused.isEmpty ? [] : logs.allFiles() {
    let reader = try LogReader(path: file, acceptsUnfinishedErasures: true) {
      try Erasures(near: file, header: $0)
    }
    while try reader.next({ change, _, _ in
      for value in change.largeReferences { unused.remove(value.digest) }
    }) != nil {}
  }
  let there = unused.filter { logs.blobs.contains($0) }
  for digest in there { try removeDurably(logs.blobs.file(digest)) }
  return there.count
}
