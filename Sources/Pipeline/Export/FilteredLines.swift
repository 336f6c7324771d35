import ChangeLog
import Format
import Store

/// Writes the lines of transactions from which a filter leaves something out.
///
/// The chain also covers the parts that are left out. A line with a hidden value contains the
/// digest of the line's values. For omitted lines, the log contains the roots of the largest
/// subtrees that consist only of omitted lines. For an omitted transaction, the log contains the
/// digest of the transaction's body.
struct FilteredLines {
  let filtered: FilteredChanges
  let reader: Reader
  let path: String

  /// Writes one line in place of a whole transaction.
  ///
  /// The cursor must be at the first change of the omitted transaction.
  func omit(
    _ transaction: Transaction,
    after previous: Digest,
    cursor: HistoryCursor,
    to log: LogWriter
  ) throws {
    let lines = TransactionLines(transaction)
    var digest = TransactionDigest(transaction, after: previous)
    while let change = try cursor.nextChange() { digest.take(change) }
    let body: Digest
    do throws(ProofError) {
      body = try digest.body(lines)
    } catch {
      throw damaged(transaction, error)
    }
    var line: [UInt8] = []
    lines.appendOmitted(body: body, to: &line)
    try line.withUnsafeBytes { try log.append(Omission(transaction: transaction.id), line: $0) }
  }

  /// Writes the lines of a transaction's changes.
  ///
  /// The cursor must be at the first change of the transaction.
  func write(
    _ transaction: Transaction,
    cursor: HistoryCursor,
    to log: LogWriter,
    _ written: (Change) throws -> Void
  ) throws {
    let whole = TransactionLines(transaction)
    var shown = transaction
    // The lines must not contain the seed of the transaction: it would reveal the salts of hidden
    // values.
    shown.seed = nil
    let lines = TransactionLines(shown)
    let hidden = try HiddenLines(transaction, filtered: filtered, reader: reader)
    var hiding = LineHiding(count: transaction.count, hiding: hidden)
    var omitted = OmittedLines(count: transaction.count)
    while let change = try cursor.nextChange() {
      let secret: LineSecret
      do throws(ProofError) {
        secret = try hiding.next(whole.leaf(of: change))
      } catch {
        throw damaged(transaction, error)
      }
      let isWanted = try filtered.isWanted(change, of: transaction)
      guard isWanted else {
        guard let values = secret.values(of: change) else { continue }
        omitted.append(change.sequence, hash: change.lineHash(values: values))
        continue
      }
      try write(&omitted, of: transaction.id, lines: lines, to: log)
      let isWhole = try filtered.isWhole(change, of: transaction)
      let leaf: LineLeaf? =
        isWhole && !secret.isHidden
        ? secret.leaf : secret.values(of: change).map { .hidden(values: $0, salt: nil) }
      var members: [UInt8] = []
      leaf?.append(to: &members)
      try filtered.withRedacted(change, schema: transaction.schema) { change in
        try members.withUnsafeBytes {
          var change = change
          change.leaf = $0
          try log.append(change, lines: lines)
        }
        try written(change)
      }
    }
    if let error = hidden.error { throw error }
    try write(&omitted, of: transaction.id, lines: lines, to: log)
  }

  private func write(
    _ omitted: inout OmittedLines,
    of transaction: Int64,
    lines: TransactionLines,
    to log: LogWriter
  ) throws {
    for subtree in omitted.subtrees {
      var line: [UInt8] = []
      lines.appendOmitted(subtree.lines, root: subtree.root, to: &line)
      try line.withUnsafeBytes {
        try log.append(Omission(transaction: transaction, lines: subtree.lines), line: $0)
      }
    }
    omitted.removeAll()
  }

  private func damaged(_ transaction: Transaction, _ error: ProofError) -> StoreError {
    unreadableTransaction(transaction.id, error.message, at: path)
  }
}

/// Returns the positions of a transaction's lines that a filtered log omits, or that the log
/// contains without some values.
///
/// Lines are read in advance only as far as the seeds of the shown lines require. No line is kept
/// in memory.
private final class HiddenLines: IteratorProtocol {
  private let transaction: Transaction
  private let filtered: FilteredChanges
  private let cursor: HistoryCursor
  private(set) var error: (any Error)?

  init(_ transaction: Transaction, filtered: FilteredChanges, reader: Reader) throws {
    self.transaction = transaction
    self.filtered = filtered
    cursor = try reader.history(after: transaction.id - 1, through: transaction.id)
    _ = try cursor.nextTransaction()
  }

  func next() -> Int64? {
    do {
      while let change = try cursor.nextChange() {
        if try !filtered.isWhole(change, of: transaction) { return change.sequence }
      }
    } catch {
      self.error = error
    }
    return nil
  }
}
